import { Logger } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { toError } from '../errors/app-error.js';
import type { GateDatabase } from './gate-database.js';

/** Notifications kept while the database does not answer. */
const MOST_PENDING = 10_000;
const RETRY_MS = 1000;
/** Where `sendSoon` has sent so many statements in a row, it leaves a pause before each, for others to share it. */
const MOST_IN_A_ROW = 20;
const PAUSE_MS = 20;

/**
 * Sends short texts to everybody who listens on a channel of the database, in whichever process. Only ever hints: they
 * may be lost. Then an empty one follows as soon as the database answers again, so that listeners know.
 */
export class NotificationSender {
  private readonly logger = new Logger(NotificationSender.name);
  /** Channel, a space, payload. */
  private pending = new Set<string>();
  /** Channels on which something was lost. */
  private lost = new Set<string>();
  private sending?: Promise<void>;
  /** What is pending does not wait any longer than for the statement that is under way. */
  private isDue = false;
  /** Statements that may be sent without a pause; one more with every pause that has passed. */
  private left = MOST_IN_A_ROW;
  private countedAt = performance.now();
  private soon?: NodeJS.Timeout;
  private retry?: NodeJS.Timeout;
  private closed = false;

  constructor(private readonly gate: GateDatabase) {}

  /** Returns at once and never throws. The payload has at most 7,999 bytes and no null character. */
  send(channel: string, payload: string): void {
    if (this.keep(channel, payload)) this.start();
  }

  /** The same, or some 20 ms later where much is sent: for what nobody waits for. */
  sendSoon(channel: string, payload: string): void {
    if (!this.keep(channel, payload) || this.soon) return;
    const now = performance.now();
    this.left = Math.min(MOST_IN_A_ROW, this.left + (now - this.countedAt) / PAUSE_MS);
    this.countedAt = now;
    if (this.left >= 1) this.start();
    else this.soon = setTimeout(() => this.start(), PAUSE_MS);
  }

  /** Sends what is pending, and nothing any more. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    if (this.pending.size > 0) this.start();
    await this.sending;
  }

  private keep(channel: string, payload: string): boolean {
    if (this.closed) return false;
    if (this.pending.size >= MOST_PENDING) {
      this.lost.add(channel);
      return false;
    }
    this.pending.add(`${channel} ${payload}`);
    return true;
  }

  private start(): void {
    this.isDue = true;
    this.sending ??= this.sendAll().finally(() => {
      this.sending = undefined;
    });
  }

  private async sendAll(): Promise<void> {
    // All notifications of one turn of the event loop share a statement, and those that come while it is under way
    // share the next.
    await setImmediate();
    do {
      this.isDue = false;
      clearTimeout(this.soon);
      this.soon = undefined;
      this.left = Math.max(0, this.left - 1);
      const texts = [...this.pending, ...[...this.lost].map((channel) => `${channel} `)];
      this.pending = new Set();
      await this.sendOnce(texts);
    } while (this.isDue);
  }

  private async sendOnce(texts: readonly string[]): Promise<void> {
    const channels = texts.map((text) => text.slice(0, text.indexOf(' ')));
    try {
      await this.gate.pool.query({
        name: 'notify',
        // What a crash of the server takes away is a hint like any other: nothing waits for the disk.
        text: `select set_config('synchronous_commit', 'off', true), pg_notify(channel, payload)
          from unnest($1::text[], $2::text[]) as n (channel, payload)`,
        values: [channels, texts.map((text) => text.slice(text.indexOf(' ') + 1))],
      });
      this.lost = new Set();
    } catch (error) {
      // Dropped, not kept: they would pile up for as long as the outage lasts.
      if (this.lost.size === 0) {
        this.logger.warn(`Sending hints failed: ${toError(error).message}`);
      }
      for (const channel of channels) this.lost.add(channel);
      clearTimeout(this.retry);
      if (!this.closed) this.retry = setTimeout(() => this.start(), RETRY_MS).unref();
    }
  }
}

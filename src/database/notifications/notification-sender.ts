import { Logger } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { toError } from '../../errors/app-error.js';
import type { GateDatabase } from '../gate-database.js';

/** Items kept while the database does not answer. */
const MOST_PENDING = 10_000;
/** PostgreSQL takes payloads of less than 8,000 bytes. */
const MOST_CHARACTERS = 7999;
const RETRY_MS = 1000;
/**
 * Where so many statements were sent in a row, a pause comes before each, for others to share it. One costs this process
 * and the database about as much as it does to take a webhook.
 */
const MOST_IN_A_ROW = 20;
/** Before what somebody may wait for. */
const PAUSE_MS = 5;
/** Before what nobody waits for. */
const LONG_PAUSE_MS = 20;

interface Notification {
  readonly channel: string;
  readonly payload: string;
}

/**
 * Sends short texts to everybody who listens on a channel of the database, in whichever process. Only ever hints: they
 * may be lost. Then an empty one follows as soon as the database answers again, so that listeners know. Items of the
 * same subject that are sent together share a payload: the subject, and after a space each, the items.
 */
export class NotificationSender {
  private readonly logger = new Logger(NotificationSender.name);
  /** By channel, a space and subject: items. */
  private pending = new Map<string, Set<string>>();
  private pendingItems = 0;
  /** Channels on which something was lost. */
  private lost = new Set<string>();
  private sending?: Promise<void>;
  /** What is pending does not wait any longer than for the statement that is under way. */
  private isDue = false;
  private readonly pace = new Pace(MOST_IN_A_ROW, PAUSE_MS);
  private readonly slowPace = new Pace(MOST_IN_A_ROW, LONG_PAUSE_MS);
  private later?: { timer: NodeJS.Timeout; at: number };
  private retry?: NodeJS.Timeout;
  private closed = false;

  constructor(private readonly gate: GateDatabase) {}

  /**
   * Returns at once and never throws. Subject and item are ASCII, at most 4,000 characters each; an item has no space.
   * Where much is sent, it is some 5 ms late.
   */
  send(channel: string, subject: string, item = ''): void {
    if (this.keep(channel, subject, item)) this.startBy(this.pace);
  }

  /** The same, and some 20 ms late where much is sent: for what nobody waits for. */
  sendSoon(channel: string, subject: string, item = ''): void {
    if (this.keep(channel, subject, item)) this.startBy(this.slowPace);
  }

  /** Sends what is pending, and nothing any more. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    if (this.pending.size > 0) this.start();
    await this.sending;
  }

  private keep(channel: string, subject: string, item: string): boolean {
    if (this.closed) return false;
    if (this.pendingItems >= MOST_PENDING) {
      this.lost.add(channel);
      return false;
    }
    const key = `${channel} ${subject}`;
    const items = this.pending.get(key);
    if (items) items.add(item);
    else this.pending.set(key, new Set([item]));
    this.pendingItems += 1;
    return true;
  }

  private startBy(pace: Pace): void {
    if (pace.isOpen) {
      this.start();
      return;
    }
    const at = performance.now() + pace.pauseMs;
    if (this.later && this.later.at <= at) return;
    clearTimeout(this.later?.timer);
    this.later = { at, timer: setTimeout(() => this.start(), pace.pauseMs) };
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
      clearTimeout(this.later?.timer);
      this.later = undefined;
      this.pace.count();
      this.slowPace.count();
      const notifications = [...this.pending].flatMap(([key, items]) => together(key, items));
      for (const channel of this.lost) notifications.push({ channel, payload: '' });
      this.pending = new Map();
      this.pendingItems = 0;
      await this.sendOnce(notifications);
    } while (this.isDue);
  }

  private async sendOnce(notifications: readonly Notification[]): Promise<void> {
    const channels = notifications.map(({ channel }) => channel);
    try {
      await this.gate.pool.query({
        name: 'notify',
        // What a crash of the server takes away is a hint like any other: nothing waits for the disk.
        text: `select set_config('synchronous_commit', 'off', true), pg_notify(channel, payload)
          from unnest($1::text[], $2::text[]) as n (channel, payload)`,
        values: [channels, notifications.map(({ payload }) => payload)],
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

function together(key: string, items: Iterable<string>): Notification[] {
  const space = key.indexOf(' ');
  const channel = key.slice(0, space);
  const subject = key.slice(space + 1);
  const payloads: string[] = [];
  let payload = subject;
  for (const item of items) {
    if (item === '') payloads.push(subject);
    else if (payload.length + 1 + item.length <= MOST_CHARACTERS) payload += ` ${item}`;
    else {
      payloads.push(payload);
      payload = `${subject} ${item}`;
    }
  }
  if (payload !== subject) payloads.push(payload);
  return payloads.map((one) => ({ channel, payload: one }));
}

/** Lets some things happen at once, and then one with each pause that has passed. */
export class Pace {
  private left: number;
  private countedAt = performance.now();

  constructor(
    private readonly inARow: number,
    readonly pauseMs: number,
  ) {
    this.left = inARow;
  }

  /** Whether the next one may happen at once. */
  get isOpen(): boolean {
    const now = performance.now();
    this.left = Math.min(this.inARow, this.left + (now - this.countedAt) / this.pauseMs);
    this.countedAt = now;
    return this.left >= 1;
  }

  /** Counts one that happens, whether it may or not. */
  count(): void {
    this.left = Math.max(0, this.left - 1);
  }
}

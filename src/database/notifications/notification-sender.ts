import { Injectable, Logger } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { toError } from '../../errors/app-error.js';
import { GateDatabase } from '../gate-database.js';

const MAX_PENDING = 10_000;
/** The largest payload, in characters. PostgreSQL accepts payloads of less than 8,000 bytes. */
const MAX_CHARACTERS = 7999;
const RETRY_MS = 1000;
/**
 * The largest number of statements that are sent without a pause. Later statements wait, so that each statement carries
 * more items and fewer statements are sent.
 */
const BURST = 20;
const PAUSE_MS = 5;
const LONG_PAUSE_MS = 20;

/** Allows a burst of actions, and then one action per pause. */
export class Pace {
  private left: number;
  private refilledAt = performance.now();

  constructor(
    private readonly burst: number,
    readonly pauseMs: number,
  ) {
    this.left = burst;
  }

  get isOpen(): boolean {
    const now = performance.now();
    this.left = Math.min(this.burst, this.left + (now - this.refilledAt) / this.pauseMs);
    this.refilledAt = now;
    return this.left >= 1;
  }

  count(): void {
    this.left = Math.max(0, this.left - 1);
  }
}

interface Notification {
  readonly channel: string;
  readonly payload: string;
}

/**
 * Sends short texts to all processes that listen on a notification channel. Notifications may be lost. After a loss,
 * an empty payload follows when the database answers again. Items of one subject that are sent together share a
 * payload: the subject and the items, separated by spaces.
 */
@Injectable()
export class NotificationSender {
  private readonly logger = new Logger(NotificationSender.name);
  /** The items by their key: a notification channel and a subject, joined by a space. */
  private pending = new Map<string, Set<string>>();
  private pendingItems = 0;
  private lossy = new Set<string>();
  private sending?: Promise<void>;
  /** True when pending items are sent directly after the current statement. */
  private isDue = false;
  private readonly pace = new Pace(BURST, PAUSE_MS);
  private readonly slowPace = new Pace(BURST, LONG_PAUSE_MS);
  private later?: { timer: NodeJS.Timeout; at: number };
  private retry?: NodeJS.Timeout;
  private isClosed = false;

  constructor(private readonly gate: GateDatabase) {}

  /**
   * Sends an item. Texts are ASCII of at most 4,000 characters, and items have no spaces. Under load, waits about 5 ms.
   * Never throws.
   */
  send(channel: string, subject: string, item = ''): void {
    if (this.enqueue(channel, subject, item)) this.scheduleBy(this.pace);
  }

  /** Sends an item as {@link send} does, but up to 20 ms later. Use this method for items that nobody waits for. */
  sendSoon(channel: string, subject: string, item = ''): void {
    if (this.enqueue(channel, subject, item)) this.scheduleBy(this.slowPace);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retry);
    if (this.pending.size > 0) this.start();
    await this.sending;
  }

  private enqueue(channel: string, subject: string, item: string): boolean {
    if (this.isClosed) return false;
    if (this.pendingItems >= MAX_PENDING) {
      this.lossy.add(channel);
      return false;
    }
    const key = `${channel} ${subject}`;
    const items = this.pending.get(key);
    if (items) items.add(item);
    else this.pending.set(key, new Set([item]));
    this.pendingItems += 1;
    return true;
  }

  private scheduleBy(pace: Pace): void {
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
    // Notifications of one turn of the event loop share a statement. Later ones share the next statement.
    await setImmediate();
    do {
      this.isDue = false;
      clearTimeout(this.later?.timer);
      this.later = undefined;
      this.pace.count();
      this.slowPace.count();
      const notifications = [...this.pending].flatMap(([key, items]) => joinItems(key, items));
      for (const channel of this.lossy) notifications.push({ channel, payload: '' });
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
        // Notifications may be lost in a crash of the server, so the commit need not wait for the disk.
        text: `select set_config('synchronous_commit', 'off', true), pg_notify(channel, payload)
          from unnest($1::text[], $2::text[]) as n (channel, payload)`,
        values: [channels, notifications.map(({ payload }) => payload)],
      });
      this.lossy = new Set();
    } catch (error) {
      // The items are dropped. Otherwise they would fill the memory during a long outage.
      if (this.lossy.size === 0) {
        this.logger.warn(`Notifications were lost: ${toError(error).message}`);
      }
      for (const channel of channels) this.lossy.add(channel);
      clearTimeout(this.retry);
      if (!this.isClosed) this.retry = setTimeout(() => this.start(), RETRY_MS).unref();
    }
  }
}

function joinItems(key: string, items: Iterable<string>): Notification[] {
  const space = key.indexOf(' ');
  const channel = key.slice(0, space);
  const subject = key.slice(space + 1);
  const payloads: string[] = [];
  let payload = subject;
  for (const item of items) {
    if (item === '') payloads.push(subject);
    else if (payload.length + 1 + item.length <= MAX_CHARACTERS) payload += ` ${item}`;
    else {
      payloads.push(payload);
      payload = `${subject} ${item}`;
    }
  }
  if (payload !== subject) payloads.push(payload);
  return payloads.map((one) => ({ channel, payload: one }));
}

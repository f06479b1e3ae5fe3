import type { Writable } from 'node:stream';
import type { ChangeOrGap } from '../changes/change-feed.js';
import { ChangedNames } from './changed-names.js';

/** The time within which changes become one event, so that pages of a busy organization do not get too many events. */
const PAUSE_MS = 100;
/** The pause between heartbeats. Proxies close silent connections after 30 to 60 s. */
const HEARTBEAT_MS = 15_000;
/**
 * A client that reads nothing for this time is disconnected. After it connects again, it gets the event `gap`, because
 * changes may have been lost.
 */
const STALLED_MS = 30_000;
/** The time for which a browser waits before it connects again. */
const RETRY_MS = 2000;

export type EndReason = 'session_ended' | 'stopping';

/**
 * Writes changes as server-sent events (HTML standard, section 9.2). While a client reads slowly, at most 1,000 names
 * wait for it. The event `gap` replaces a larger number of names.
 */
export class ChangeStream {
  private readonly names = new ChangedNames();
  private isOpen = false;
  private lastId = 0;
  private flushTimer?: NodeJS.Timeout;
  private heartbeat?: NodeJS.Timeout;
  private stalled?: NodeJS.Timeout;

  constructor(private readonly output: Writable) {}

  /**
   * Sends `ready`, then the changes that were added so far, and then all later changes. With `hasGap`, sends `gap`
   * instead of the changes so far.
   */
  open(hasGap: boolean): void {
    this.isOpen = true;
    this.output.write(`retry: ${RETRY_MS}\n\n`);
    this.send('ready', {});
    this.heartbeat = setInterval(() => {
      if (!this.output.writableNeedDrain) this.send('heartbeat', {});
    }, HEARTBEAT_MS).unref();
    if (hasGap) this.names.add({ kind: 'gap' });
    this.flush();
  }

  add(change: ChangeOrGap): void {
    this.names.add(change);
    if (this.isOpen) this.flushTimer ??= setTimeout(() => this.flush(), PAUSE_MS).unref();
  }

  /** Sends the reason why the stream ends, and ends the response. */
  end(reason: EndReason): void {
    if (!this.isOpen) return;
    this.send('end', { reason });
    this.close();
    this.output.end();
  }

  /** Stops the timers. Nothing is sent after this. */
  close(): void {
    this.isOpen = false;
    clearTimeout(this.flushTimer);
    clearTimeout(this.stalled);
    clearInterval(this.heartbeat);
  }

  private flush(): void {
    this.flushTimer = undefined;
    if (!this.isOpen || this.names.isEmpty) return;
    if (this.output.writableNeedDrain) this.waitUntilDrained();
    else {
      const taken = this.names.take();
      if (taken === 'gap') this.send('gap', {});
      else this.send('changes', { changes: taken });
    }
  }

  private waitUntilDrained(): void {
    if (this.stalled) return;
    const resume = (): void => {
      clearTimeout(this.stalled);
      this.stalled = undefined;
      this.flush();
    };
    this.output.once('drain', resume);
    this.stalled = setTimeout(() => this.output.destroy(), STALLED_MS).unref();
  }

  private send(event: string, data: object): void {
    if (this.output.destroyed || this.output.writableEnded) return;
    this.lastId += 1;
    // Because of the id, browsers send Last-Event-ID when they connect again. This header shows that the client may
    // have missed changes.
    this.output.write(`id: ${this.lastId}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}

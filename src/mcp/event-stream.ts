import type { Response } from 'express';

// The pause between heartbeats. Proxies close silent connections after 30 to 60 s.
const KEEP_ALIVE_MS = 15_000;
/** A subscriber that reads nothing for this time is disconnected. */
const STALLED_MS = 30_000;

/** Sends server-sent events (MCP, transports). Until the first notification, the response can still be plain JSON. */
export class EventStream {
  private keepAlive?: NodeJS.Timeout;

  constructor(
    private readonly response: Response,
    /**
     * In the text of a notification, hides everything that the caller may not see. Absent when the caller may see
     * everything.
     */
    private readonly mask?: (text: string) => string,
  ) {}

  get isOpen(): boolean {
    return this.keepAlive !== undefined;
  }

  /** Sends a JSON-RPC notification and opens the stream if necessary. Does nothing if the caller has disconnected. */
  notify(method: string, params: object): void {
    const message = JSON.stringify({ jsonrpc: '2.0', method, params });
    this.send(this.mask ? this.mask(message) : message);
  }

  /**
   * Resolves when the send buffer has space again, or when the caller has disconnected. Disconnects a caller that reads
   * nothing for 30 s, because its unread messages use memory.
   */
  async waitUntilDrained(): Promise<void> {
    if (this.response.destroyed || !this.response.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const stalled = setTimeout(() => this.response.destroy(), STALLED_MS).unref();
      const done = (): void => {
        clearTimeout(stalled);
        this.response.off('drain', done).off('close', done);
        resolve();
      };
      this.response.on('drain', done).on('close', done);
    });
  }

  send(message: string): void {
    if (this.response.writableEnded || this.response.destroyed) return;
    if (!this.isOpen) this.open();
    this.response.write(`event: message\ndata: ${message}\n\n`);
  }

  /** Sends the last message, if any, and ends the stream. */
  end(message?: string): void {
    if (message !== undefined) this.send(message);
    clearInterval(this.keepAlive);
    if (!this.response.destroyed) this.response.end();
  }

  private open(): void {
    this.response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // Without this header, a proxy that buffers responses would delay every event.
      'X-Accel-Buffering': 'no',
    });
    this.keepAlive = setInterval(() => {
      const { destroyed, writableNeedDrain } = this.response;
      // Without the check, heartbeats for a client that does not read would fill the memory.
      if (!destroyed && !writableNeedDrain) this.response.write(': still here\n\n');
    }, KEEP_ALIVE_MS).unref();
    this.response.once('close', () => clearInterval(this.keepAlive));
  }
}

export type NotificationStream = Pick<EventStream, 'notify' | 'waitUntilDrained'>;

export function acceptsEvents(accept: string | undefined): boolean {
  return /(^|[,\s])text\/event-stream\s*(?=[,;]|$)/i.test(accept ?? '');
}

import type { Response } from 'express';

// Below the 30 to 60 s after which proxies close what is silent.
const KEEP_ALIVE_MS = 15_000;

/**
 * An answer as server-sent events (MCP, basic/transports/streamable-http). Opens with the first notification, so that
 * an answer without any can still be plain JSON.
 */
export class EventStream implements AnswerStream {
  private keepAlive?: NodeJS.Timeout;

  constructor(private readonly response: Response) {}

  get isOpen(): boolean {
    return this.keepAlive !== undefined;
  }

  notify(method: string, params: object): void {
    this.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  async drained(): Promise<void> {
    if (this.response.destroyed || !this.response.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.response.off('drain', done).off('close', done);
        resolve();
      };
      this.response.on('drain', done).on('close', done);
    });
  }

  /** Sends the JSON text of one message. */
  send(message: string): void {
    if (this.response.writableEnded || this.response.destroyed) return;
    if (!this.isOpen) this.open();
    this.response.write(`event: message\ndata: ${message}\n\n`);
  }

  /** Sends the last message, if there is one, and ends the stream. */
  end(message?: string): void {
    if (message !== undefined) this.send(message);
    clearInterval(this.keepAlive);
    if (!this.response.destroyed) this.response.end();
  }

  private open(): void {
    this.response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // Proxies that collect an answer before they pass it on would hold back every event.
      'X-Accel-Buffering': 'no',
    });
    this.keepAlive = setInterval(() => {
      const { destroyed, writableNeedDrain } = this.response;
      // Who does not read needs no proof of life, and would be kept one for ever.
      if (!destroyed && !writableNeedDrain) this.response.write(': still here\n\n');
    }, KEEP_ALIVE_MS).unref();
    this.response.once('close', () => clearInterval(this.keepAlive));
  }
}

/** True where the caller takes events; without an Accept header it gets what every HTTP client can read. */
export function acceptsEvents(accept: string | undefined): boolean {
  return /(^|[,\s])text\/event-stream\s*(?=[,;]|$)/i.test(accept ?? '');
}

/** What a caller can be told while its request is being answered. */
export interface AnswerStream {
  /** Sends a JSON-RPC notification; where the caller is gone it does nothing. Opens the stream if need be. */
  notify(method: string, params: object): void;
  /** Resolves once the caller has taken enough of what was sent to be sent more, or is gone. */
  drained(): Promise<void>;
}

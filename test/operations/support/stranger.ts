import { Worker } from 'node:worker_threads';

export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

export interface Waits {
  /** The longest wait of a ping of Switchboard, in milliseconds. */
  readonly waitMs: number;
  /** The longest wait of a ping of a server that does nothing else, in another thread of the same machine. */
  readonly controlMs: number;
}

/** Sends requests from another thread, and measures how long pings wait at the same time. */
export class Stranger {
  private readonly worker = new Worker(new URL('stranger.mjs', import.meta.url));
  private readonly waiting = new Map<number, (message: Reply) => void>();
  private nextId = 0;

  constructor(private readonly pingUrl: string) {
    this.worker.on('message', (message: Reply) => {
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
    });
  }

  /** Pings both servers while `work` runs, and returns the longest waits. */
  async measure(work: () => Promise<unknown>): Promise<Waits> {
    await this.ask('begin', { pingUrl: this.pingUrl });
    try {
      await work();
    } finally {
      // The pause is long enough for at least one ping after the end of the work.
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    return await this.ask('end', {});
  }

  async send(request: SentRequest): Promise<{ status: number; text: string }> {
    return await this.ask('send', request);
  }

  async close(): Promise<void> {
    await this.ask('close', {});
    await this.worker.terminate();
  }

  private async ask<T>(kind: string, given: object): Promise<T> {
    const id = (this.nextId += 1);
    const reply = await new Promise<Reply>((resolve) => {
      this.waiting.set(id, resolve);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      this.worker.postMessage({ id, kind, ...given });
    });
    if (reply.error !== undefined) throw new Error(`${kind}: ${reply.error}`);
    return reply.value as T;
  }
}

interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

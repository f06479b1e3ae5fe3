import type { Response } from 'express';
import { setMaxListeners } from 'node:events';

/** Returns a signal that aborts when the client disconnects before the response is complete. */
export function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) gone.abort();
  });
  if (response.destroyed) gone.abort();
  return gone.signal;
}

/**
 * Creates a signal that aborts with the first of several signals, or with a `TimeoutError` after `ms`. Use it instead
 * of `AbortSignal.any` and `AbortSignal.timeout`. Node.js 20 keeps only weak references to the signals of these two
 * functions: after a garbage collection they may never abort, and code would wait forever.
 */
export class JoinedSignal {
  private readonly controller = new AbortController();
  private readonly timer?: NodeJS.Timeout;
  private readonly undo: (() => void)[] = [];

  constructor(others: readonly AbortSignal[], ms?: number) {
    for (const other of others) {
      const abort = (): void => this.controller.abort(other.reason);
      if (other.aborted) abort();
      // Many listeners wait for a signal that lives as long as the process. With the default maximum, Node.js warns of
      // a leak.
      setMaxListeners(0, other);
      other.addEventListener('abort', abort);
      this.undo.push(() => other.removeEventListener('abort', abort));
    }
    if (ms === undefined) return;
    this.timer = setTimeout(() => {
      this.controller.abort(new DOMException('The operation timed out.', 'TimeoutError'));
    }, ms);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Removes the timer and the listeners. Call it when the work is done, because the other signals may live longer. */
  end(): void {
    clearTimeout(this.timer);
    for (const undo of this.undo) undo();
  }
}

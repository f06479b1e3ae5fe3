import type { Response } from 'express';
import { setMaxListeners } from 'node:events';

/** Aborted when the connection closes before the whole answer was handed to it. */
export function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) gone.abort();
  });
  if (response.destroyed) gone.abort();
  return gone.signal;
}

/**
 * A signal that aborts with the first of others, or after a time with a `TimeoutError`. In place of `AbortSignal.any`
 * with `AbortSignal.timeout`: Node.js 20 refers to those weakly, and one whose time had not come when the garbage was
 * collected never aborts, so that whoever waits for it waits for ever.
 */
export class JoinedSignal {
  private readonly controller = new AbortController();
  private readonly timer?: NodeJS.Timeout;
  private readonly undo: (() => void)[] = [];

  constructor(others: readonly AbortSignal[], ms?: number) {
    for (const other of others) {
      const abort = (): void => this.controller.abort(other.reason);
      if (other.aborted) abort();
      // One that lives as long as the process is waited for by many, and Node.js would warn of a leak.
      setMaxListeners(0, other);
      other.addEventListener('abort', abort);
      this.undo.push(() => other.removeEventListener('abort', abort));
    }
    if (ms === undefined) return;
    this.timer = setTimeout(() => {
      this.controller.abort(new DOMException('The time is up.', 'TimeoutError'));
    }, ms);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Must be called when the work is over: it forgets the others, which may live as long as the process, and the time. */
  end(): void {
    clearTimeout(this.timer);
    for (const undo of this.undo) undo();
  }
}

import { setMaxListeners } from 'node:events';

const MAX_USES = 256;

/**
 * Makes signals that nothing aborts. Up to 256 requests share one signal, because making a signal for each request took
 * an eighth of the time of a trivial call. Later requests get a new signal, because tools may leave listeners on the
 * earlier one.
 */
export class LastingSignals {
  private signal: AbortSignal;
  private usesLeft = 0;

  next(): AbortSignal {
    if (this.usesLeft === 0) {
      this.signal = new AbortController().signal;
      // With the default maximum of listeners, Node.js warns of a leak when many calls listen.
      setMaxListeners(0, this.signal);
      this.usesLeft = MAX_USES;
    }
    this.usesLeft -= 1;
    return this.signal;
  }
}

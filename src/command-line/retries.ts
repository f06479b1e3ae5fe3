import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, Stopped } from './command-error.js';
import { ConnectionFault } from './connection-fault.js';
import { RefusedAnswer } from './refused-answer.js';

/**
 * The pauses between attempts. With them, a restart of the service within half a minute does not interrupt the command.
 */
const PAUSES_MS = [250, 500, 1000, 2000, 4000, 8000, 15_000];
const TRANSIENT = new Set([408, 500, 502, 503, 504]);
const TOO_MANY_REQUESTS = 429;
const MAX_RETRY_AFTER_MS = 10 * 60_000;

/**
 * Repeats requests that may succeed later. All requests of a command share one instance, so all requests wait together.
 */
export class Retries {
  private pausedUntil = 0;

  constructor(
    private readonly stop: AbortSignal,
    private readonly onPause: (reason: string) => void,
  ) {}

  /**
   * Returns the result of `attempt`. After a fault of the connection, 429 or 5xx, waits as long as the service says and
   * calls `attempt` again. Throws the last fault after all pauses, or after more than `maxRefusals` answers with 429.
   * Throws {@link Stopped} when the person stops the command.
   */
  async run<T>(attempt: () => Promise<T>, maxRefusals = Infinity): Promise<T> {
    let failures = 0;
    let refusals = 0;
    for (;;) {
      await this.wait();
      try {
        return await attempt();
      } catch (thrown) {
        const isRefusal = thrown instanceof RefusedAnswer && thrown.status === TOO_MANY_REQUESTS;
        if (isRefusal) refusals += 1;
        else if (isTransient(thrown)) failures += 1;
        else throw thrown;
        if (refusals > maxRefusals || failures > PAUSES_MS.length) throw thrown;
        this.pause(thrown as CommandError, PAUSES_MS[Math.max(0, failures - 1)]!);
      }
    }
  }

  /** Waits before the command repeats a call that the service itself could not complete. */
  async waitForService(failures: number): Promise<void> {
    this.pausedUntil = Math.max(this.pausedUntil, performance.now() + PAUSES_MS[failures]!);
    await this.wait();
  }

  private pause(fault: CommandError, ms: number): void {
    const asked = fault instanceof RefusedAnswer ? fault.retryAfterMs : undefined;
    // Without the random part, all waiting clients would continue at the same moment and be refused again.
    const waitMs = Math.min(asked ?? ms, MAX_RETRY_AFTER_MS) * (1 + Math.random() / 10);
    const until = performance.now() + waitMs;
    if (until <= this.pausedUntil) return;
    this.pausedUntil = until;
    this.onPause(`${fault.message} Waiting ${Math.ceil(waitMs / 1000)} s.`);
  }

  private async wait(): Promise<void> {
    for (;;) {
      if (this.stop.aborted) throw new Stopped();
      const ms = this.pausedUntil - performance.now();
      if (ms <= 0) return;
      await sleep(ms, undefined, { signal: this.stop }).catch(() => undefined);
    }
  }
}

function isTransient(thrown: unknown): boolean {
  if (thrown instanceof ConnectionFault) return thrown.mayPass;
  return thrown instanceof RefusedAnswer && TRANSIENT.has(thrown.status);
}

/** The largest number of timers of a process. Runs without a timer are found by the poll of a worker. */
const MAX_TIMERS = 10_000;
/** The longest delay of a timer, one day. With more than 2^31 ms, Node.js would fire the timer at once, again and again. */
const MAX_DELAY_MS = 24 * 60 * 60 * 1000;

/**
 * Checks the limits again at the time when a delayed run may begin. Without these timers, the run would begin at the
 * next poll of a worker, up to a second later. A rate of one run a second would never be reached.
 */
export class AdmissionTimers {
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(private readonly check: (organizationId: string, id: string) => void) {}

  /** Checks the run after the given milliseconds. Replaces an earlier timer of the run. */
  set(organizationId: string, id: string, waitMs: number): void {
    const key = `${organizationId} ${id}`;
    this.clear(key);
    if (this.timers.size >= MAX_TIMERS) return;
    const timer = setTimeout(
      () => {
        this.timers.delete(key);
        this.check(organizationId, id);
      },
      // A timer may fire a millisecond early. Without this millisecond, the check could come too early and admit
      // nothing.
      Math.min(Math.max(0, Math.ceil(waitMs)), MAX_DELAY_MS) + 1,
    );
    timer.unref();
    this.timers.set(key, timer);
  }

  stop(): void {
    for (const key of this.timers.keys()) this.clear(key);
  }

  private clear(key: string): void {
    clearTimeout(this.timers.get(key));
    this.timers.delete(key);
  }
}

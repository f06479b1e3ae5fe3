/** The largest number of timers of a process. Runs without a timer are found by the poll of a worker. */
const MAX_TIMERS = 10_000;
/** The largest number of timers of an organization, so that other organizations have timers too. */
const MAX_OWN_TIMERS = 1000;
/**
 * The longest wait. SQL of a tool can store limits that give a wait that is huge or not a number. With such a wait, a
 * timer of Node.js would fire immediately, again and again.
 */
const MAX_WAIT_MS = 60_000;

interface AdmissionTimer {
  readonly organizationId: string;
  readonly timeout: NodeJS.Timeout;
}

/**
 * Checks the limits again at the time when a delayed run may begin. Without these timers, the run would begin at the
 * next poll of a worker, up to a second later. A rate of one run a second would never be reached.
 */
export class AdmissionTimers {
  private readonly timers = new Map<string, AdmissionTimer>();
  /** The number of timers of each organization. */
  private readonly counts = new Map<string, number>();

  constructor(private readonly check: (organizationId: string, id: string) => void) {}

  /** Checks the run after the given milliseconds, at most a minute. Replaces an earlier timer of the run. */
  set(organizationId: string, id: string, waitMs: number): void {
    this.clear(id);
    const count = this.counts.get(organizationId) ?? 0;
    if (this.timers.size >= MAX_TIMERS || count >= MAX_OWN_TIMERS) return;
    const wholeMs = waitMs < MAX_WAIT_MS ? Math.max(0, Math.ceil(waitMs)) : MAX_WAIT_MS;
    const timeout = setTimeout(
      () => {
        this.clear(id);
        this.check(organizationId, id);
      },
      // A timer may fire a millisecond early. Without the added millisecond, the check could come too early and admit
      // nothing.
      wholeMs + 1,
    );
    timeout.unref();
    this.timers.set(id, { organizationId, timeout });
    this.counts.set(organizationId, count + 1);
  }

  stop(): void {
    for (const id of this.timers.keys()) this.clear(id);
  }

  private clear(id: string): void {
    const timer = this.timers.get(id);
    if (!timer) return;
    const { organizationId, timeout } = timer;
    clearTimeout(timeout);
    this.timers.delete(id);
    const count = this.counts.get(organizationId)! - 1;
    if (count > 0) this.counts.set(organizationId, count);
    else this.counts.delete(organizationId);
  }
}

import { AppError } from '../errors/app-error.js';
import { OrganizationQueue } from './organization-queue.js';
import { TimeBudgets } from './time-budgets.js';

/**
 * The length of a turn. After a turn, the process serves other requests. The last step of a job in a turn may make the
 * turn longer.
 */
const TURN_MS = 10;
/**
 * For a job that takes less than this time, the elapsed time counts as its processor time. The difference is small.
 * Reading the processor time takes about 15 µs, and most jobs take less.
 */
const SHORT_MS = 1;
/**
 * The largest age of a reading of the processor time that a job may use. If the last reading is older, the time is read
 * again before the job begins.
 */
const READING_MS = 5;
/** The pause before the jobs of organizations without processor time are tried again. */
const PAUSE_MS = 25;

/** Work that can stop between two steps. */
export interface Job {
  /** Does at least one step, and stops at the given time of `performance.now()`. Returns true when the job is done. */
  run(endsAt: number): boolean;
}

/** The processor time that a job, or several jobs together, may still use. */
export interface JobTime {
  leftMs: number;
}

interface WaitingJob {
  readonly job: Job;
  readonly time: JobTime;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Runs jobs on the main thread in turns. Between two turns the event loop serves requests, so a job delays other
 * requests by at most one turn, whatever it computes. Organizations with waiting jobs take turns one after the other.
 */
export class ProcessorTurns {
  private readonly waiting = new OrganizationQueue<WaitingJob>();
  private spentMs = 0;
  /** The last reading of the processor time, and its time of `performance.now()`. */
  private reading = { at: -Infinity, cpu: process.cpuUsage() };
  private isScheduled = false;
  private pause?: NodeJS.Timeout;

  /**
   * `whenUsedUp` says what happens to the jobs of an organization without processor time: they are refused before they
   * begin, or they wait between two turns until the organization has time again.
   */
  constructor(
    private readonly budgets = new TimeBudgets(),
    private readonly whenUsedUp: 'refuse' | 'wait' = 'refuse',
  ) {}

  /**
   * Runs a job. Resolves when it is done. Most jobs end immediately, without waiting for a turn. Rejects with what the
   * job throws, and with `invalid_arguments` when the job has used its time. Where jobs are refused, rejects with
   * `rate_limited`, before the job begins, when the organization has no time left. A job that has begun may use more
   * time than its organization has left, up to the time limit of the job.
   */
  async run(organizationId: string, job: Job, time: JobTime): Promise<void> {
    if (this.whenUsedUp === 'refuse') this.budgets.assertLeft(organizationId);
    const isFree = this.waiting.isEmpty && this.spentMs < TURN_MS;
    if (isFree && this.mayWork(organizationId) && this.work(organizationId, job, time)) return;
    await new Promise<void>((resolve, reject) => {
      this.waiting.push(organizationId, { job, time, resolve, reject });
      this.schedule();
    });
  }

  private mayWork(organizationId: string): boolean {
    return this.whenUsedUp === 'refuse' || this.budgets.hasLeft(organizationId);
  }

  private work(organizationId: string, job: Job, time: JobTime): boolean {
    if (time.leftMs <= 0) {
      throw AppError.invalid('The template takes too long. Make its loops and lists smaller.');
    }
    const started = performance.now();
    if (started - this.reading.at > READING_MS) {
      this.reading = { at: started, cpu: process.cpuUsage() };
    }
    try {
      return job.run(started + Math.min(TURN_MS - this.spentMs, time.leftMs));
    } finally {
      const spentMs = performance.now() - started;
      const usedMs = spentMs < SHORT_MS ? spentMs : Math.min(spentMs, this.usedSinceReading());
      this.spentMs += spentMs;
      time.leftMs -= usedMs;
      this.budgets.spend(organizationId, usedMs);
      if (this.spentMs >= TURN_MS) this.schedule();
    }
  }

  /**
   * Returns the processor time since the last reading, in milliseconds. On a busy machine, the system may stop this
   * process for longer than a job may take, so the elapsed time of a job can be too long. The processor time can also
   * be too long, because it includes other threads and up to `READING_MS` before the job. So the shorter of the two
   * times counts.
   */
  private usedSinceReading(): number {
    const { user, system } = process.cpuUsage(this.reading.cpu);
    return (user + system) / 1000;
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    // The event loop reads from its sockets before it calls this callback, so other requests are served first.
    setImmediate(() => this.takeTurn());
  }

  private scheduleLater(): void {
    this.pause ??= setTimeout(() => {
      this.pause = undefined;
      this.schedule();
    }, PAUSE_MS);
  }

  private takeTurn(): void {
    this.isScheduled = false;
    this.spentMs = 0;
    while (this.spentMs < TURN_MS) {
      const next = this.waiting.shift((organizationId) => this.mayWork(organizationId));
      if (!next) {
        if (!this.waiting.isEmpty) this.scheduleLater();
        return;
      }
      this.continueJob(...next);
    }
    this.schedule();
  }

  private continueJob(organizationId: string, waiting: WaitingJob): void {
    try {
      if (this.work(organizationId, waiting.job, waiting.time)) waiting.resolve();
      else this.waiting.push(organizationId, waiting);
    } catch (error) {
      waiting.reject(error);
    }
  }
}

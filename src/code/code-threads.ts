import { AppError } from '../errors/app-error.js';
import { OrganizationQueue } from '../turns/organization-queue.js';
import { TimeBudgets } from '../turns/time-budgets.js';
import type { CodeJob, CodeReply } from './code-job.js';
import { CodeThread } from './code-thread.js';

const MAX_THREADS = 2;
/** The largest number of waiting jobs of one organization. Each job keeps its input in memory. */
const MAX_WAITING = 100;
/**
 * The longest time that a job waits for a thread before it fails. The limit of a `check` is shorter, because the
 * transaction that saves the workflow stays open during the wait.
 */
const MAX_WAIT_MS = { run: 60_000, check: 15_000 } as const;
/**
 * The time for which a thread may still answer after its job has reached the time limit. Then the thread is ended.
 * Native functions of QuickJS do not check the limit, so they can exceed it.
 */
const GRACE_MS = 1000;
const MAX_START_MS = 30_000;
/** The time after which a thread without work is ended. */
const MAX_IDLE_MS = 30_000;

interface WaitingJob {
  readonly job: CodeJob;
  readonly resolve: (reply: CodeReply) => void;
  readonly reject: (reason: unknown) => void;
  readonly signal?: AbortSignal;
  /** Removes the timer and the listener that end the wait. */
  stopWaiting: () => void;
}

/**
 * Runs jobs in at most two threads. One organization occupies at most one thread, and organizations take turns, so that
 * long jobs of one organization do not delay jobs of other organizations. A thread starts when it is needed, and ends
 * after some time without work.
 */
export class CodeThreads {
  private readonly checks = new OrganizationQueue<WaitingJob>();
  private readonly runs = new OrganizationQueue<WaitingJob>();
  /** For each organization, the thread that runs its job. */
  private readonly busy = new Map<string, CodeThread>();
  private readonly idle = new Map<CodeThread, NodeJS.Timeout>();
  private isClosed = false;

  constructor(
    private readonly budgets = new TimeBudgets(undefined, 'code steps'),
    private readonly maxIdleMs = MAX_IDLE_MS,
  ) {}

  /** Returns the number of threads that exist. */
  get count(): number {
    return this.busy.size + this.idle.size;
  }

  /**
   * Resolves with the answer to a job. Rejects with `rate_limited` when the organization has used its processor time or
   * has too many waiting jobs. Rejects with `unavailable` after a long wait and at shutdown. When `signal` aborts,
   * rejects with the reason of the signal.
   */
  async run(organizationId: string, job: CodeJob, signal?: AbortSignal): Promise<CodeReply> {
    signal?.throwIfAborted();
    this.budgets.assertLeft(organizationId);
    if (this.isClosed) throw stopping();
    const queue = job.kind === 'check' ? this.checks : this.runs;
    if (queue.count(organizationId) >= MAX_WAITING) {
      const message =
        'Too many code steps of this organization wait for their turn. Try again later.';
      throw new AppError('rate_limited', message, { retryAfterSeconds: 10 });
    }
    return await new Promise<CodeReply>((resolve, reject) => {
      const waiting: WaitingJob = { job, resolve, reject, signal, stopWaiting: () => undefined };
      const leave = (reason: unknown): void => {
        waiting.stopWaiting();
        if (queue.remove(organizationId, waiting)) reject(reason);
      };
      const timer = setTimeout(() => leave(tooBusy()), MAX_WAIT_MS[job.kind]);
      const onAbort = (): void => leave(signal?.reason);
      signal?.addEventListener('abort', onAbort);
      waiting.stopWaiting = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      queue.push(organizationId, waiting);
      this.startWaiting();
    });
  }

  /** Ends all threads. Jobs that wait or run reject with `unavailable`. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const queue of [this.checks, this.runs]) {
      for (let next = queue.shift(); next; next = queue.shift()) {
        next[1].stopWaiting();
        next[1].reject(stopping());
      }
    }
    for (const timer of this.idle.values()) clearTimeout(timer);
    const threads = [...this.busy.values(), ...this.idle.keys()];
    this.idle.clear();
    await Promise.all(threads.map((thread) => thread.end()));
  }

  private startWaiting(): void {
    while (this.busy.size < MAX_THREADS) {
      const mayTake = (organizationId: string): boolean => !this.busy.has(organizationId);
      // A person waits for a check, and checks are short, so checks come before runs.
      const next = this.checks.shift(mayTake) ?? this.runs.shift(mayTake);
      if (!next) return;
      const [organizationId, waiting] = next;
      waiting.stopWaiting();
      const thread = this.takeThread(waiting);
      if (!thread) continue;
      this.busy.set(organizationId, thread);
      void this.serve(organizationId, waiting, thread);
    }
  }

  /** Returns a thread. Rejects the job and returns undefined when the system cannot start one. */
  private takeThread({ reject }: WaitingJob): CodeThread | undefined {
    // Take the thread that worked last, so that an unneeded thread stays idle long enough to be ended.
    const known = [...this.idle].at(-1);
    if (!known) {
      try {
        return new CodeThread();
      } catch (error) {
        reject(
          new AppError('unavailable', 'No thread for code could start. Try again later.', {
            cause: error,
          }),
        );
        return undefined;
      }
    }
    const [thread, timer] = known;
    clearTimeout(timer);
    this.idle.delete(thread);
    return thread;
  }

  private async serve(
    organizationId: string,
    { job, signal, resolve, reject }: WaitingJob,
    thread: CodeThread,
  ): Promise<void> {
    let isUsable = false;
    try {
      await bounded(thread, MAX_START_MS, signal, () => thread.start());
      const started = performance.now();
      try {
        resolve(await bounded(thread, job.milliseconds + GRACE_MS, signal, () => thread.work(job)));
        isUsable = true;
      } finally {
        this.budgets.spend(organizationId, performance.now() - started);
      }
    } catch (error) {
      if (signal?.aborted) reject(signal.reason);
      else if (this.isClosed) reject(stopping());
      else if (error === TIME_UP) resolve({ fault: { kind: 'time', message: 'interrupted' } });
      else if (isOutOfMemory(error)) resolve({ fault: { kind: 'memory', message: 'heap' } });
      else
        reject(
          new AppError(
            'unavailable',
            'The thread for code ended before it answered. Try again later.',
            { cause: error },
          ),
        );
    }
    this.busy.delete(organizationId);
    if (isUsable && !this.isClosed) this.keep(thread);
    else void thread.end();
    this.startWaiting();
  }

  private keep(thread: CodeThread): void {
    const end = (): void => {
      this.idle.delete(thread);
      void thread.end();
    };
    this.idle.set(thread, setTimeout(end, this.maxIdleMs).unref());
  }
}

const TIME_UP = new Error('The code ran longer than its time limit.');

/** Returns the result of the work of a thread. Ends the thread when the work takes too long or the signal aborts. */
async function bounded<T>(
  thread: CodeThread,
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  let isTimeUp = false;
  const end = (): void => void thread.end();
  const timer = setTimeout(() => {
    isTimeUp = true;
    end();
  }, milliseconds);
  signal?.addEventListener('abort', end);
  try {
    if (signal?.aborted) end();
    return await work();
  } catch (error) {
    throw isTimeUp ? TIME_UP : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooBusy(): AppError {
  return new AppError('unavailable', 'No thread for code became free in time. Try again later.', {
    retryAfterSeconds: 10,
  });
}

function stopping(): AppError {
  return new AppError(
    'unavailable',
    'This process is stopping and runs no more code. Try again in a few seconds.',
  );
}

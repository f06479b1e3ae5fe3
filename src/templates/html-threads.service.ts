import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Worker } from 'node:worker_threads';
import { AppError } from '../errors/app-error.js';
import { OrganizationQueue } from '../turns/organization-queue.js';
import type { HtmlJob, HtmlReply } from './html-job.js';

/** The largest number of threads. A thread needs about 60 MiB, and publishing is rare. */
const MOST_THREADS = 2;
/** The largest number of waiting jobs of one organization. Each job keeps its HTML in memory. */
const MOST_WAITING = 20;
/** The longest time of a job. On a busy machine, a thread needs seconds to load its packages. */
const MOST_MS = 18_000;
/**
 * The longest wait of a job for a thread. A call occupies a transaction while it waits, and the database ends a
 * transaction that is idle for 30 s.
 */
const MOST_WAIT_MS = 10_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

interface WaitingJob {
  readonly job: HtmlJob;
  readonly resolve: (reply: HtmlReply) => void;
  readonly reject: (reason: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Does slow work with HTML in a thread, which is ended when it takes too long. An organization has one thread at a
 * time, and organizations take turns. Only the thread loads the packages for HTML, and their memory is free again after
 * each job.
 */
@Injectable()
export class HtmlThreadsService implements OnApplicationShutdown {
  private readonly waiting = new OrganizationQueue<WaitingJob>();
  /** The thread that works for each organization. */
  private readonly threads = new Map<string, Worker>();
  private isClosed = false;

  /**
   * Resolves with the result of a job. Rejects with `invalid_arguments` when the HTML takes too much time or memory.
   * Rejects with `rate_limited` when too many jobs of the organization wait, and with `unavailable` after a long wait.
   */
  async run(organizationId: string, job: HtmlJob): Promise<HtmlReply> {
    if (this.isClosed) throw stopping();
    if (this.waiting.count(organizationId) >= MOST_WAITING) {
      const message =
        'Too many templates of this organization wait for their turn. Try again later.';
      throw new AppError('rate_limited', message, { retryAfterSeconds: 10 });
    }
    return await new Promise<HtmlReply>((resolve, reject) => {
      const timer = setTimeout(() => {
        if (this.waiting.remove(organizationId, waiting)) reject(tooBusy());
      }, MOST_WAIT_MS);
      const waiting: WaitingJob = { job, resolve, reject, timer };
      this.waiting.push(organizationId, waiting);
      this.startWaiting();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      clearTimeout(next[1].timer);
      next[1].reject(stopping());
    }
    await Promise.all([...this.threads.values()].map((thread) => thread.terminate()));
  }

  private startWaiting(): void {
    while (this.threads.size < MOST_THREADS && !this.isClosed) {
      const next = this.waiting.shift((id) => !this.threads.has(id));
      if (!next) return;
      this.start(...next);
    }
  }

  private start(organizationId: string, { job, resolve, reject, timer: wait }: WaitingJob): void {
    clearTimeout(wait);
    const thread = new Worker(new URL('./html-thread-main.mjs', import.meta.url), {
      env: {},
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      workerData: job,
      resourceLimits: RESOURCE_LIMITS,
    });
    this.threads.set(organizationId, thread);
    const timer = setTimeout(() => void thread.terminate(), MOST_MS);
    // The first of these events settles the promise, and the others have no effect.
    thread.on('message', (reply: HtmlReply) => resolve(reply));
    thread.on('error', (error) => reject(tooComplex(error)));
    thread.on('exit', () => {
      clearTimeout(timer);
      this.threads.delete(organizationId);
      reject(this.isClosed ? stopping() : tooComplex());
      this.startWaiting();
    });
  }
}

function tooComplex(cause?: unknown): AppError {
  const message =
    'The HTML takes too much time or memory. Use fewer elements, or fewer rules in style elements.';
  return new AppError('invalid_arguments', message, { cause });
}

function tooBusy(): AppError {
  return new AppError('unavailable', 'No thread for HTML became free in time. Try again later.', {
    retryAfterSeconds: 10,
  });
}

function stopping(): AppError {
  return new AppError(
    'unavailable',
    'This process is stopping, so it prepares no more HTML. Try again.',
  );
}

import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Worker } from 'node:worker_threads';
import { AppError } from '../errors/app-error.js';
import { OrganizationQueue } from '../turns/organization-queue.js';
import type { HtmlJob, HtmlReply, InlinedHtml, ThreadMessage } from './html-job.js';

/** The largest number of threads. A thread needs about 60 MiB, and publishing is rare. */
const MOST_THREADS = 2;
/** The largest number of waiting jobs of one organization. Each job keeps its HTML in memory. */
const MOST_WAITING = 20;
/** The longest time in which a thread loads its packages. On a busy machine it needs seconds. */
const MOST_LOAD_MS = 10_000;
/**
 * The longest time for one HTML. A newsletter of 256 KiB with hundreds of rules needs about 1 s of processor time. This
 * time is much shorter than the longest wait, so that costly HTML of some organizations does not make others wait in vain.
 */
const MOST_HTML_MS = 7000;
/** The longest wait of a job for each of its turns. */
const MOST_WAIT_MS = 18_000;
/**
 * The longest time of a job with its waits. A call occupies a transaction meanwhile, and the database ends a
 * transaction that is idle for 30 s.
 */
const MOST_MS = 28_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

interface Job {
  /** The HTML that is not done yet. */
  readonly left: string[];
  readonly done: InlinedHtml[];
  readonly endsAt: number;
  readonly resolve: (reply: HtmlReply) => void;
  readonly reject: (reason: unknown) => void;
  /** The timer that ends the wait of the job and, after the wait, its thread. */
  timer?: NodeJS.Timeout;
}

/**
 * Does slow work with HTML in a thread, which is ended when one HTML takes too long. An organization has one thread at a
 * time. Organizations take turns, also between the HTML of one job. Only the thread loads the packages for HTML, and
 * their memory is free again after each turn.
 */
@Injectable()
export class HtmlThreadsService implements OnApplicationShutdown {
  private readonly waiting = new OrganizationQueue<Job>();
  /** The thread that works for each organization. */
  private readonly threads = new Map<string, Worker>();
  private isClosed = false;

  /**
   * Resolves with the result of a job. Rejects with `invalid_arguments` when one HTML takes too much time or memory.
   * Rejects with `rate_limited` when too many jobs of the organization wait, and with `unavailable` after a long wait.
   */
  async run(organizationId: string, job: HtmlJob): Promise<HtmlReply> {
    const styled = job.filter(hasStyles);
    const inlined = styled.length === 0 ? [] : [...(await this.inline(organizationId, styled))];
    return job.map((html) => (hasStyles(html) ? inlined.shift()! : { html, isTooLong: false }));
  }

  private async inline(organizationId: string, job: HtmlJob): Promise<HtmlReply> {
    if (this.isClosed) throw stopping();
    if (this.waiting.count(organizationId) >= MOST_WAITING) {
      const message =
        'Too many templates of this organization wait for their turn. Try again later.';
      throw new AppError('rate_limited', message, { retryAfterSeconds: 10 });
    }
    return await new Promise<HtmlReply>((resolve, reject) => {
      const endsAt = Date.now() + MOST_MS;
      this.wait(organizationId, { left: [...job], done: [], endsAt, resolve, reject });
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

  private wait(organizationId: string, job: Job): void {
    limit(job, MOST_WAIT_MS, () => {
      if (this.waiting.remove(organizationId, job)) job.reject(tooBusy());
    });
    this.waiting.push(organizationId, job);
    this.startWaiting();
  }

  private startWaiting(): void {
    while (this.threads.size < MOST_THREADS && !this.isClosed) {
      const next = this.waiting.shift((id) => !this.threads.has(id));
      if (!next) return;
      this.start(...next);
    }
  }

  private start(organizationId: string, job: Job): void {
    const thread = new Worker(new URL('./html-thread-main.mjs', import.meta.url), {
      env: {},
      argv: [],
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: RESOURCE_LIMITS,
    });
    this.threads.set(organizationId, thread);
    const end = (): void => void thread.terminate();
    let isYielding = false;
    limit(job, MOST_LOAD_MS, end);
    thread.on('message', (message: ThreadMessage) => {
      if (message !== 'ready') {
        job.left.shift();
        job.done.push(message);
      }
      const [next] = job.left;
      isYielding = next !== undefined && message !== 'ready' && this.mustYield();
      if (next === undefined) job.resolve(job.done);
      if (next === undefined || isYielding) {
        clearTimeout(job.timer);
        end();
        return;
      }
      limit(job, MOST_HTML_MS, end);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      thread.postMessage(next);
    });
    // The first of these calls settles the promise, and the others have no effect.
    thread.on('error', (error) => job.reject(tooComplex(error)));
    thread.on('exit', () => {
      clearTimeout(job.timer);
      this.threads.delete(organizationId);
      if (this.isClosed) job.reject(stopping());
      else if (isYielding) this.wait(organizationId, job);
      else job.reject(tooComplex());
      this.startWaiting();
    });
  }

  /** Returns true while all threads work, and an organization without a thread waits for one. */
  private mustYield(): boolean {
    const isFull = this.threads.size >= MOST_THREADS;
    return isFull && this.waiting.some((id) => !this.threads.has(id));
  }
}

/** Calls `end` after this time, or at the end of the time of the job. Replaces the limit of an earlier call. */
function limit(job: Job, ms: number, end: () => void): void {
  clearTimeout(job.timer);
  job.timer = setTimeout(end, Math.min(ms, job.endsAt - Date.now()));
}

/** Returns true for HTML with CSS to inline. Other HTML needs no thread. */
function hasStyles(html: string): boolean {
  return /<style/i.test(html);
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

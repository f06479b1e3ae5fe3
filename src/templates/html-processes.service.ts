import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { OrganizationQueue } from '../turns/organization-queue.js';
import type { HtmlJob, HtmlReply, InlinedHtml, ProcessMessage } from './html-job.js';
import { HtmlProcess } from './html-process.js';

/** The largest number of child processes. A process needs about 75 MiB, and publishing is rare. */
const MOST_PROCESSES = 2;
/** The largest number of waiting jobs of one organization. Each job keeps its HTML in memory. */
const MOST_WAITING = 20;
/** The longest time in which a process starts and loads its packages. On a busy machine, this takes seconds. */
const MOST_LOAD_MS = 10_000;
/**
 * The longest time for one HTML document. A newsletter of 256 KiB with hundreds of rules needs about 1 s of processor
 * time. This time is much shorter than the longest wait, so that costly HTML of some organizations does not make others
 * wait in vain.
 */
const MOST_HTML_MS = 7000;
/** The longest wait of a job for each of its turns. */
const MOST_WAIT_MS = 18_000;
/**
 * The longest time of a job, including its waits. A call occupies a transaction meanwhile, and the database ends a
 * transaction that is idle for 30 s.
 */
const MOST_MS = 28_000;

interface Job {
  /** The HTML documents that are not processed yet. */
  readonly left: string[];
  readonly done: InlinedHtml[];
  readonly endsAt: number;
  readonly resolve: (reply: HtmlReply) => void;
  readonly reject: (reason: unknown) => void;
  /** The timer that ends the wait of the job and, after the wait, its process. */
  timer?: NodeJS.Timeout;
}

/**
 * Does slow work with HTML in a child process, which is ended when one HTML document takes too long. An organization
 * has one process at a time. Organizations take turns, also between the HTML documents of one job.
 *
 * A thread would not suffice: when a text exceeds the heap limit of a thread, V8 aborts the whole process. HTML that
 * becomes huge ends only its child process.
 */
@Injectable()
export class HtmlProcessesService implements OnApplicationShutdown {
  private readonly waiting = new OrganizationQueue<Job>();
  /** The process that works for each organization. */
  private readonly processes = new Map<string, HtmlProcess>();
  private isClosed = false;

  /**
   * Resolves with the result of a job. Rejects with `invalid_arguments` when one HTML document takes too much time or
   * memory. Rejects with `rate_limited` when too many jobs of the organization wait. Rejects with `unavailable` after a
   * long wait, or when no process could start.
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
    await Promise.all([...this.processes.values()].map((child) => child.end()));
  }

  private wait(organizationId: string, job: Job): void {
    limit(job, MOST_WAIT_MS, () => {
      if (this.waiting.remove(organizationId, job)) job.reject(tooBusy());
    });
    this.waiting.push(organizationId, job);
    this.startWaiting();
  }

  private startWaiting(): void {
    while (this.processes.size < MOST_PROCESSES && !this.isClosed) {
      const next = this.waiting.shift((id) => !this.processes.has(id));
      if (!next) return;
      this.start(...next);
    }
  }

  private start(organizationId: string, job: Job): void {
    let isReady = false;
    let isYielding = false;
    const end = (): void => void child.end();
    const onMessage = (message: ProcessMessage): void => {
      isReady = true;
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
      child.send(next);
    };
    let child: HtmlProcess;
    try {
      child = new HtmlProcess(onMessage);
    } catch (error) {
      clearTimeout(job.timer);
      job.reject(notStarted(error));
      return;
    }
    this.processes.set(organizationId, child);
    limit(job, MOST_LOAD_MS, end);
    void child.ended.then(() => {
      clearTimeout(job.timer);
      this.processes.delete(organizationId);
      // A job that is done is resolved already, so rejecting it has no effect.
      if (this.isClosed) job.reject(stopping());
      else if (isYielding) this.wait(organizationId, job);
      else job.reject(isReady ? tooComplex() : notStarted());
      this.startWaiting();
    });
  }

  /** Returns true if all processes are busy and an organization that has no process waits for one. */
  private mustYield(): boolean {
    const isFull = this.processes.size >= MOST_PROCESSES;
    return isFull && this.waiting.some((id) => !this.processes.has(id));
  }
}

/** Calls `end` after this time, or earlier if the time of the job ends. Replaces the limit of an earlier call. */
function limit(job: Job, ms: number, end: () => void): void {
  clearTimeout(job.timer);
  job.timer = setTimeout(end, Math.min(ms, job.endsAt - Date.now()));
}

/** Returns true for HTML with CSS to inline. Other HTML needs no process. */
function hasStyles(html: string): boolean {
  return /<style/i.test(html);
}

function tooComplex(): AppError {
  return new AppError(
    'invalid_arguments',
    'The HTML takes too much time or memory. Use fewer elements, or fewer rules in style elements.',
  );
}

function notStarted(cause?: unknown): AppError {
  return new AppError('unavailable', 'No process for HTML could start. Try again later.', {
    cause,
    retryAfterSeconds: 10,
  });
}

function tooBusy(): AppError {
  return new AppError('unavailable', 'No process for HTML became free in time. Try again later.', {
    retryAfterSeconds: 10,
  });
}

function stopping(): AppError {
  return new AppError(
    'unavailable',
    'This process is stopping, so it prepares no more HTML. Try again.',
  );
}

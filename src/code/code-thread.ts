import { Worker } from 'node:worker_threads';
import type { CodeJob, CodeReply } from './code-job.js';

/**
 * The limits of the heap of the thread itself. The memory of QuickJS is not part of this heap and has its own limit.
 */
const RESOURCE_LIMITS = {
  maxOldGenerationSizeMb: 64,
  maxYoungGenerationSizeMb: 16,
  stackSizeMb: 4,
};

/** Runs one job after the other in a thread. After {@link end} or a rejected job, the thread cannot be used again. */
export class CodeThread {
  private readonly worker = new Worker(new URL('./code-thread-main.mjs', import.meta.url), {
    env: {},
    argv: [],
    execArgv: [],
    // The thread prints nothing. Reading its output would keep the process alive.
    stdout: true,
    stderr: true,
    resourceLimits: RESOURCE_LIMITS,
  });
  private readonly ready: Promise<unknown>;

  constructor() {
    this.ready = this.next();
    // Callers of `start` get the rejection. Without this handler, it would also count as unhandled.
    this.ready.catch(() => undefined);
  }

  /** Starts the thread. Resolves when the thread can work. Rejects when it does not start. */
  async start(): Promise<void> {
    await this.ready;
  }

  /**
   * Resolves with the answer to a job. Rejects when the thread ends before it answers, for example because its heap is
   * full.
   */
  async work(job: CodeJob): Promise<CodeReply> {
    this.worker.ref();
    const reply = this.next();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.worker.postMessage(job);
    try {
      return (await reply) as CodeReply;
    } finally {
      // A thread without a job must not keep the process alive.
      this.worker.unref();
    }
  }

  /** Ends the thread immediately, even while a job runs. */
  async end(): Promise<void> {
    await this.worker.terminate();
  }

  private async next(): Promise<unknown> {
    const { worker } = this;
    return await new Promise((resolve, reject) => {
      const settle = (act: () => void) => (): void => {
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
        act();
      };
      const onMessage = (message: unknown): void => settle(() => resolve(message))();
      const onError = (error: Error): void => settle(() => reject(error))();
      const onExit = settle(() => reject(new Error('The thread has ended.')));
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    });
  }
}

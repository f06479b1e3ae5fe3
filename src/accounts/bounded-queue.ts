import { AppError } from '../errors/app-error.js';

/**
 * Runs the work of at most `most` callers at the same time. At most `mostWaiting` other callers wait, in the order in
 * which they came.
 */
export class BoundedQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly most: number,
    private readonly mostWaiting: number,
  ) {}

  /** Returns the result of the work. Throws `unavailable` immediately when too many callers are waiting. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.most) await this.wait();
    else this.running += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // The first waiting caller takes the place of the work that has ended. Otherwise a later caller could take this
      // place first.
      if (next) next();
      else this.running -= 1;
    }
  }

  private wait(): Promise<void> {
    if (this.waiting.length >= this.mostWaiting) {
      throw new AppError(
        'unavailable',
        'Too many people are signing in at this moment. Try again.',
        {
          retryAfterSeconds: 2,
        },
      );
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}

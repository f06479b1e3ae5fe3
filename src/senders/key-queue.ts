import { AppError } from '../errors/app-error.js';
import { rateLimited, TokenBuckets } from '../http/rate-limiter.js';
import { OrganizationQueue } from '../turns/organization-queue.js';

/**
 * The number of keys that an organization may make in a burst. After a burst, the organization may make this number of
 * keys per hour.
 */
const KEYS_PER_HOUR = 10;
const HOUR_SECONDS = 60 * 60;
/** The largest number of waiting calls of one organization. Each call occupies a transaction while it waits. */
const MOST_WAITING = 3;
/** The longest wait for a turn. The database ends a transaction that is idle for 30 s. */
const MOST_WAIT_MS = 10_000;

/**
 * Makes keys one after the other. Organizations take turns. Making a key occupies one of the few threads that also hash
 * passwords and read files. So several keys at the same time would delay sign-in and the dashboard.
 */
export class KeyQueue {
  private readonly waiting = new OrganizationQueue<() => void>();
  private readonly buckets = new TokenBuckets(KEYS_PER_HOUR, KEYS_PER_HOUR / HOUR_SECONDS);
  private isBusy = false;

  /**
   * Returns the result of `make`. Throws `rate_limited` when the organization has made too many keys or when too many
   * of its calls wait, and `unavailable` after a long wait.
   */
  async run<T>(organizationId: string, make: () => Promise<T>): Promise<T> {
    if (this.waiting.count(organizationId) >= MOST_WAITING) {
      throw rateLimited('Too many calls wait for a DKIM key. Try again later.', 1);
    }
    this.buckets.consume(
      organizationId,
      1,
      `An organization makes at most ${KEYS_PER_HOUR} DKIM keys an hour. Try again later.`,
    );
    if (this.isBusy) await this.waitForTurn(organizationId);
    this.isBusy = true;
    try {
      return await make();
    } finally {
      this.startNext();
    }
  }

  private waitForTurn(organizationId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        if (this.waiting.remove(organizationId, start)) reject(tooBusy());
      }, MOST_WAIT_MS);
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.waiting.push(organizationId, start);
    });
  }

  private startNext(): void {
    const next = this.waiting.shift();
    // `isBusy` stays true for the next call. Otherwise a call that arrives in between could overtake it.
    if (next) next[1]();
    else this.isBusy = false;
  }
}

function tooBusy(): AppError {
  return new AppError('unavailable', 'No DKIM key could be made in time. Try again later.', {
    retryAfterSeconds: 10,
  });
}

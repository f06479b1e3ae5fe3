import { AppError } from '../../../errors/app-error.js';
import { OrganizationCounts } from '../../../turns/organization-counts.js';

/**
 * The largest number of large bodies in memory. Each takes up to 10 MiB, and the same again while it is joined and
 * stored.
 */
const MOST = 6;
const MOST_PER_ORGANIZATION = 3;

/** Limits the large bodies that a process has in memory, from their first byte to their response. */
export class LargeBodySlots {
  private readonly taken = new OrganizationCounts();
  private count = 0;

  /** Takes a slot and returns a function that releases it once. Throws `unavailable` when none is free. */
  take(organizationId: string): () => void {
    if (this.count >= MOST || this.taken.of(organizationId) >= MOST_PER_ORGANIZATION) {
      const message =
        'Too many large bodies are received at this moment. Send the body again later.';
      throw new AppError('unavailable', message, { retryAfterSeconds: 2 });
    }
    this.count += 1;
    this.taken.add(organizationId, 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.release(organizationId);
    };
  }

  private release(organizationId: string): void {
    this.count -= 1;
    this.taken.add(organizationId, -1);
  }
}

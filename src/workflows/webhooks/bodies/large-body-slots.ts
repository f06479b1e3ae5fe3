import { AppError } from '../../../errors/app-error.js';

/**
 * The largest number of large bodies in memory. Each takes up to 10 MiB, and the same again while it is joined and
 * stored.
 */
const MOST = 6;
const MOST_PER_ORGANIZATION = 3;

/** Limits the large bodies that a process has in memory, from their first byte to their response. */
export class LargeBodySlots {
  private readonly taken = new Map<string, number>();
  private count = 0;

  /** Takes a slot and returns a function that releases it once. Throws `unavailable` when none is free. */
  take(organizationId: string): () => void {
    const own = this.taken.get(organizationId) ?? 0;
    if (this.count >= MOST || own >= MOST_PER_ORGANIZATION) {
      const message =
        'Too many large bodies are received at this moment. Send the body again later.';
      throw new AppError('unavailable', message, { retryAfterSeconds: 2 });
    }
    this.count += 1;
    this.taken.set(organizationId, own + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.release(organizationId);
    };
  }

  private release(organizationId: string): void {
    this.count -= 1;
    const left = this.taken.get(organizationId)! - 1;
    if (left > 0) this.taken.set(organizationId, left);
    else this.taken.delete(organizationId);
  }
}

import type { Share } from './fair-share.js';
import type { WakeUpKind } from './wake-ups.js';

/** The length of a lease. After a crash, another worker continues when the lease has ended. */
export const LEASE_SECONDS = 15;

/** A row that this worker may process until its lease ends. The epoch fences off earlier workers. */
export interface Claim {
  readonly id: string;
  readonly organizationId: string;
  readonly epoch: number;
  /** True when a limit delays other rows until this row ends. */
  readonly isLimited?: true;
}

/** Claims and processes rows for a {@link LeasedWorker}. Their leases end by the database clock. */
export interface LeasedWork {
  readonly kind: WakeUpKind;
  /** Claims at most `limit` due rows, or only the row `id`. A share limits the rows of each organization. */
  claim(limit: number, id?: string, share?: Share): Promise<Claim[]>;
  /**
   * Processes a row. `signal` aborts when the lease or the grace period ends. After an error, the row is retried when
   * its lease ends. After `unavailable`, the row is released immediately, and after `rate_limited`, it is released
   * after a pause.
   */
  work(claim: Claim, signal: AbortSignal): Promise<void>;
  /** Extends the leases and returns the claims that are still valid. */
  renew(claims: Claim[]): Promise<Claim[]>;
  /** Ends the leases, so that another worker can continue immediately, or in the case of a schedule after 5 s. */
  release(claims: Claim[]): Promise<void>;
}

/** Returns a text that identifies the claim among the claims of all organizations. */
export function keyOf(claim: Claim): string {
  return `${claim.organizationId} ${claim.id} ${claim.epoch}`;
}

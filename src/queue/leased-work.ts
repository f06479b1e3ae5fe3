import type { Share } from './fair-share.js';
import type { WakeUpKind } from './wake-ups.js';

/** How long a claim is held without a sign of life: after a crash, another worker goes on this much later. */
export const LEASE_SECONDS = 15;

/** A row that this worker may work on until its lease ends; the epoch fences off everybody who held it before. */
export interface Claim {
  readonly id: string;
  readonly organizationId: string;
  readonly epoch: number;
  /** Whether others wait for it to end. */
  readonly isLimited?: true;
}

/** What a {@link LeasedWorker} works on: rows with a lease by the database's clock. */
export interface LeasedWork {
  readonly kind: WakeUpKind;
  /**
   * Claims at most `limit` due rows, or just the row `id`, with a lease by the database's clock and a new epoch. With a
   * share, no more of any organization than that allows.
   */
  claim(limit: number, id?: string, share?: Share): Promise<Claim[]>;
  /**
   * Does the work. `signal` aborts when the lease was lost or the process stops hard. A throw is logged; the sweep
   * retries after the lease, or at once after `unavailable`.
   */
  work(claim: Claim, signal: AbortSignal): Promise<void>;
  /** Extends the leases (ids, epochs) and returns the claims still held. */
  renew(claims: Claim[]): Promise<Claim[]>;
  /** Gives back at once what was not finished, so that another worker goes on. */
  release(claims: Claim[]): Promise<void>;
}

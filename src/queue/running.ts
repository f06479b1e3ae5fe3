import type { Claim } from './leased-work.js';

/** A claimed row that a worker of this process works on. */
export interface Running {
  readonly claim: Claim;
  readonly abort: AbortController;
  readonly done: Promise<void>;
  /** The end of the lease by the monotonic clock. It is never later than the end by the database clock. */
  leaseEndsAt: number;
}

import type { Claim } from './leased-work.js';

/** A claimed row that a worker of this process works on. */
export interface Running {
  readonly claim: Claim;
  readonly abort: AbortController;
  readonly done: Promise<void>;
  /** The lease ends at this time of the monotonic clock, which is never later than its end by the database clock. */
  leaseEndsAt: number;
}

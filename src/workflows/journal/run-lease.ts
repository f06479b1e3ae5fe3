import { sqlState } from '../../database/database-error.js';

/** A claim of a run. The epoch is the fencing token. */
export interface RunLease {
  readonly id: string;
  readonly organizationId: string;
  readonly epoch: number;
}

/**
 * Reports that another worker has claimed the run, or that it was canceled. The worker stops and writes nothing more.
 * The transactions of its running steps are rolled back. The next worker runs these steps again from the journal. A
 * call of an external tool may have had its effect: `ToolRunner` repeats it with the same idempotency key.
 */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor() {
    super('The lease of the run is lost.');
  }
}

const LEASE_LOST = 'SB001';
const UNIQUE_VIOLATION = '23505';

/** Wraps a statement that must change `rows` rows. The server raises `SB001` when the statement changes fewer rows. */
export function withLeaseCheck(statement: string, rows = '1'): string {
  return `with changed as (${statement}) select assert_lease(count(*) / ${rows}) from changed`;
}

/**
 * Maps a failed lease check, and a journal row that another worker has written, to {@link LeaseLostError}. Use it only
 * for statements on runs and their journal. `defer` calls it with the errors of its own statement only, so a unique
 * violation in a tool is never mapped here.
 */
export function toLeaseLostError(error: Error): LeaseLostError | undefined {
  const code = sqlState(error);
  return code === LEASE_LOST || code === UNIQUE_VIOLATION ? new LeaseLostError() : undefined;
}

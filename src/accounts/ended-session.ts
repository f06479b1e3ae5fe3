import { sqlState } from '../database/database-error.js';
import { AppError } from '../errors/app-error.js';

/** The SQLSTATE that PostgreSQL reports when the session of a change has ended (private.lock_session). */
const SESSION_ENDED = 'SB003';

/** Throws `unauthenticated` for the error of a change whose session has ended. Throws every other error unchanged. */
export function endedSession(error: unknown): never {
  if (sqlState(error) !== SESSION_ENDED) throw error;
  throw new AppError('unauthenticated', 'This session has just ended. Sign in again.', {
    cause: error,
  });
}

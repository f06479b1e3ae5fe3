import { sqlState } from '../database/database-error.js';
import { AppError } from '../errors/app-error.js';
import type { RequestOrigin } from './request-origin.js';

/** The SQLSTATE of private.lock_session(): the sign-in session of the person who changes something has ended. */
const SESSION_ENDED = 'SB003';

/** The session in which a person makes a change, and the origin of the request. */
export interface ActingSession {
  /** The digest of the session id. The database checks that this session is still open. */
  readonly digest: string;
  readonly origin: RequestOrigin;
}

/** Returns the error of a request whose session ended after the request had begun. */
export function sessionEnded(cause?: unknown): AppError {
  return new AppError('unauthenticated', 'This session has just ended. Sign in again.', { cause });
}

/** Throws `unauthenticated` for the error of a change whose session has ended. Throws every other error unchanged. */
export function rethrowEnded(error: unknown): never {
  throw sqlState(error) === SESSION_ENDED ? sessionEnded(error) : error;
}

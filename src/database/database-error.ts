import { EntityMetadataNotFoundError, QueryFailedError } from 'typeorm';
import { AppError, toError } from '../errors/app-error.js';
import { quotaExceeded } from './quota-exceeded.js';

/** Returns the SQLSTATE of a PostgreSQL error, even when TypeORM has wrapped it. */
export function sqlState(error: unknown): string | undefined {
  const source = (error as { driverError?: unknown } | null)?.driverError ?? error;
  const code = (source as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

export function violatedConstraint(error: unknown): string | undefined {
  const source = (error as { driverError?: unknown } | null)?.driverError ?? error;
  const name = (source as { constraint?: unknown } | null)?.constraint;
  return typeof name === 'string' ? name : undefined;
}

/** The SQLSTATE of a statement that tried to write in a READ ONLY transaction (PostgreSQL manual, appendix A). */
const READ_ONLY = '25006';
/** The SQLSTATE of a statement that took too long or was canceled (PostgreSQL manual, appendix A). */
export const STATEMENT_TIMEOUT = '57014';
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);

/** Returns true when the database could not be reached or the connection broke. The call itself may be correct. */
export function isConnectionError(thrown: unknown): boolean {
  const code = sqlState(thrown);
  // Class 08 means a broken connection, 57P0x a server that stops or starts, and 53300 too many connections (PostgreSQL
  // manual, appendix A).
  if (code) return /^(08|57P0[1-4]|53300)/.test(code) || SOCKET_CODES.has(code);
  return /Connection terminated|timeout exceeded when trying to connect|connection error and is not queryable/.test(
    toError(thrown).message,
  );
}

/** Returns true when the answer to a statement with a `query_timeout` came too late or never came. */
export function isQueryTimeout(thrown: unknown): boolean {
  return toError(thrown).message === 'Query read timeout';
}

/**
 * Returns the error to throw for an error of a statement. The code of the new error is `unavailable` when a caller may
 * retry. For a quota that is used up, and for some mistakes in code, the message of the new error says what to do.
 * Other errors are returned unchanged.
 */
export function mapDatabaseError(thrown: unknown): Error {
  if (thrown instanceof AppError) return thrown;
  // TypeORM wraps every error that is thrown while it sends a statement.
  if (thrown instanceof QueryFailedError && thrown.driverError instanceof AppError) {
    return thrown.driverError;
  }
  if (thrown instanceof EntityMetadataNotFoundError) {
    const cure = 'List this entity under `entities` where Switchboard is started.';
    return new Error(`${thrown.message} ${cure}`, { cause: thrown });
  }
  const refusal = quotaExceeded(thrown);
  if (refusal) return refusal;
  const code = sqlState(thrown);
  if (code === READ_ONLY) {
    const cure =
      'Remove readOnly: true from the tool or the transaction that writes. Guards and interceptors should only read.';
    return new Error(`${toError(thrown).message}. ${cure}`, { cause: thrown });
  }
  // 55P03 means a lock timeout.
  if (code === '55P03' || code === STATEMENT_TIMEOUT) {
    return new AppError('unavailable', 'The call took too long or is blocked. Try again.', {
      retryAfterSeconds: 2,
      cause: thrown,
    });
  }
  // 40001 and 40P01 mean a conflict with another transaction, and class 53 means that the server lacks memory, disk or
  // connections.
  const passing = code !== undefined && /^(40001|40P01|53)/.test(code);
  return passing || isConnectionError(thrown) ? unavailable(thrown) : toError(thrown);
}

export function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', 'The database is not available. Try again.', {
    retryAfterSeconds: 2,
    cause,
  });
}

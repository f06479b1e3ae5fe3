import { toError } from '../../errors/app-error.js';
import { isConnectionError, sqlState } from '../database-error.js';

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'this host name is unknown',
  EAI_AGAIN: 'this host name could not be looked up',
  EHOSTUNREACH: 'there is no route to it',
  ETIMEDOUT: 'it does not answer',
  '57P03': 'it is starting or stopping',
  '53300': 'it has no connection left',
  '28P01': 'it refuses the user or the password',
  '28000': 'it refuses the user or the password',
};

/** Describes for an operator why a connection failed. The text has the host and no password. */
export function describeConnection(
  error: unknown,
  { host, port, database }: { host: string; port: number; database?: string | undefined },
): string {
  const code = sqlState(error) ?? 'no answer';
  const unknown = isConnectionError(error) ? 'it cannot be reached' : 'connecting failed';
  const reasons: Record<string, string> = {
    ...REASONS,
    '3D000': `it has no database ${database}`,
    // PgBouncer uses this code for all of its errors.
    '08P01': `it answers "${toError(error).message}"`,
  };
  const reason = reasons[code] ?? unknown;
  return `the database server ${host}:${port} cannot be used: ${reason} (${code})`;
}

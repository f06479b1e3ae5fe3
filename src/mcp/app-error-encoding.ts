import { randomUUID } from 'node:crypto';
import { AppError, type AppErrorCode, type Fault } from '../errors/app-error.js';

/** Codes that a failing tool can show: the ones clients rely on. */
export type ToolErrorCode =
  | 'invalid_arguments'
  | 'not_found'
  | 'conflict'
  | 'idempotency_mismatch'
  | 'suppressed'
  | 'no_consent'
  | 'rate_limited'
  | 'forbidden'
  | 'unavailable'
  | 'internal';

/** What a caller is told of a tool that failed. */
export interface ToolError {
  error: {
    code: ToolErrorCode;
    message: string;
    details?: readonly Fault[];
    error_id?: string;
  };
}

const TOOL_ERROR_CODES = {
  invalid_arguments: 'invalid_arguments',
  not_found: 'not_found',
  conflict: 'conflict',
  email_taken: 'conflict',
  idempotency_mismatch: 'idempotency_mismatch',
  suppressed: 'suppressed',
  no_consent: 'no_consent',
  rejected: 'conflict',
  rate_limited: 'rate_limited',
  forbidden: 'forbidden',
  unauthenticated: 'forbidden',
  invalid_credentials: 'forbidden',
  invalid_signature: 'forbidden',
  payload_too_large: 'invalid_arguments',
  unsupported_media_type: 'invalid_arguments',
  invalid_json: 'invalid_arguments',
  not_an_object: 'invalid_arguments',
  too_complex: 'invalid_arguments',
  unavailable: 'unavailable',
  internal: 'internal',
} as const satisfies Record<AppErrorCode, ToolErrorCode>;

/** Describes what a tool threw. Of a bug it shows an id only, and hands the bug itself to `log` under that id. */
export function toolError(thrown: unknown, log: (errorId: string) => void): ToolError {
  if (thrown instanceof AppError && TOOL_ERROR_CODES[thrown.code] !== 'internal') {
    return knownError(thrown);
  }
  const errorId = randomUUID();
  log(errorId);
  return { error: { code: 'internal', message: 'Internal error', error_id: errorId } };
}

/** Describes a failure that was expected, and whose message may be shown. */
export function knownError({ code, message, details }: AppError): ToolError {
  return { error: { code: TOOL_ERROR_CODES[code], message, ...(details && { details }) } };
}

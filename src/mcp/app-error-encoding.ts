import { randomUUID } from 'node:crypto';
import { AppError, type AppErrorCode, type Fault } from '../errors/app-error.js';
import { ShownBug } from '../errors/shown-bug.js';
import {
  CONFLICT,
  FORBIDDEN,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  JsonRpcError,
  PARSE_ERROR,
  RATE_LIMITED,
  UNAUTHENTICATED,
  UNAVAILABLE,
} from './json-rpc-error.js';

/**
 * The codes of each error: when a tool fails, when another method fails, and when a whole HTTP request fails. Where the
 * code is `INTERNAL_ERROR`, the error can occur only because of a bug.
 */
export const ERROR_CODES = {
  invalid_arguments: { tool: 'invalid_arguments', method: INVALID_PARAMS, request: INTERNAL_ERROR },
  // MCP 2026-07-28, basic/index: -32002 of earlier revisions is no longer allowed.
  not_found: { tool: 'not_found', method: INVALID_PARAMS, request: INTERNAL_ERROR },
  conflict: { tool: 'conflict', method: CONFLICT, request: INTERNAL_ERROR },
  email_taken: { tool: 'conflict', method: CONFLICT, request: INTERNAL_ERROR },
  idempotency_mismatch: { tool: 'idempotency_mismatch', method: CONFLICT, request: INTERNAL_ERROR },
  suppressed: { tool: 'suppressed', method: CONFLICT, request: INTERNAL_ERROR },
  no_consent: { tool: 'no_consent', method: CONFLICT, request: INTERNAL_ERROR },
  rejected: { tool: 'conflict', method: CONFLICT, request: INTERNAL_ERROR },
  rate_limited: { tool: 'rate_limited', method: RATE_LIMITED, request: RATE_LIMITED },
  forbidden: { tool: 'forbidden', method: FORBIDDEN, request: FORBIDDEN },
  confirmation_required: {
    tool: 'confirmation_required',
    method: FORBIDDEN,
    request: INTERNAL_ERROR,
  },
  unauthenticated: { tool: 'forbidden', method: FORBIDDEN, request: UNAUTHENTICATED },
  invalid_credentials: { tool: 'forbidden', method: FORBIDDEN, request: UNAUTHENTICATED },
  invalid_signature: { tool: 'forbidden', method: FORBIDDEN, request: INTERNAL_ERROR },
  payload_too_large: { tool: 'invalid_arguments', method: INTERNAL_ERROR, request: 1413 },
  unsupported_media_type: { tool: 'invalid_arguments', method: INTERNAL_ERROR, request: 1415 },
  invalid_json: { tool: 'invalid_arguments', method: INTERNAL_ERROR, request: PARSE_ERROR },
  invalid_body: { tool: 'invalid_arguments', method: INTERNAL_ERROR, request: INVALID_REQUEST },
  not_an_object: { tool: 'invalid_arguments', method: INTERNAL_ERROR, request: INVALID_REQUEST },
  too_complex: { tool: 'invalid_arguments', method: INTERNAL_ERROR, request: INVALID_REQUEST },
  unavailable: { tool: 'unavailable', method: UNAVAILABLE, request: UNAVAILABLE },
  internal: { tool: 'internal', method: INTERNAL_ERROR, request: INTERNAL_ERROR },
} as const satisfies Record<AppErrorCode, { tool: string; method: number; request: number }>;

/** The result of a failed tool. Clients rely on the codes. */
interface ToolError {
  error: {
    code: (typeof ERROR_CODES)[AppErrorCode]['tool'];
    message: string;
    details?: readonly Fault[];
    error_id?: string;
    /** Holds the values that some codes have, for example `confirmation_id` and `current_version` (docs/errors.md). */
    [member: string]: unknown;
  };
}

/**
 * Encodes the error of a tool. For a bug, the caller gets an id, and the message only in development. `log` gets the
 * same id.
 */
export function toolError(thrown: unknown, log: (errorId: string) => void): ToolError {
  if (thrown instanceof AppError && thrown.code !== 'internal') {
    return knownError(thrown);
  }
  const errorId = randomUUID();
  log(errorId);
  const message = thrown instanceof ShownBug ? thrown.message : 'Internal error';
  return { error: { code: 'internal', message, error_id: errorId } };
}

export function knownError(error: AppError): ToolError {
  const { code, message, details, members } = error;
  return {
    error: { code: ERROR_CODES[code].tool, message, ...(details && { details }), ...members },
  };
}

/** Waits for `work`, and converts its expected failures to JSON-RPC errors with `data`. */
export async function withJsonRpcErrors<T>(work: Promise<T>, data?: object): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    const code = ERROR_CODES[thrown.code].method;
    if (code === INTERNAL_ERROR) throw thrown;
    const { message, details } = thrown;
    const members = { ...data, ...(details && { details }) };
    throw new JsonRpcError(code, message, Object.keys(members).length > 0 ? members : undefined);
  }
}

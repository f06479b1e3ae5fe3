import { randomUUID } from 'node:crypto';
import { AppError, type AppErrorCode, type Fault } from '../errors/app-error.js';
import { INTERNAL_ERROR, INVALID_PARAMS, JSON_RPC_CODES, JsonRpcError } from './json-rpc-error.js';

/** The codes of failed tools. Clients rely on them. */
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

/** The result of a failed tool, as its caller gets it. */
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

/** Encodes what a tool threw. For a bug the caller gets an id only, and `log` gets the same id. */
export function toolError(thrown: unknown, log: (errorId: string) => void): ToolError {
  if (thrown instanceof AppError && TOOL_ERROR_CODES[thrown.code] !== 'internal') {
    return knownError(thrown);
  }
  const errorId = randomUUID();
  log(errorId);
  return { error: { code: 'internal', message: 'Internal error', error_id: errorId } };
}

/** Encodes an expected failure with its message. */
export function knownError({ code, message, details }: AppError): ToolError {
  return { error: { code: TOOL_ERROR_CODES[code], message, ...(details && { details }) } };
}

const CONFLICT = 1409;

/** Maps failures of resources, prompts, completions and tasks. Their results cannot describe a failure. */
const METHOD_ERROR_CODES = {
  // MCP 2026-07-28, basic/index: -32002 of earlier revisions is no longer allowed.
  not_found: INVALID_PARAMS,
  invalid_arguments: INVALID_PARAMS,
  forbidden: JSON_RPC_CODES.forbidden,
  unauthenticated: JSON_RPC_CODES.forbidden,
  invalid_credentials: JSON_RPC_CODES.forbidden,
  invalid_signature: JSON_RPC_CODES.forbidden,
  conflict: CONFLICT,
  email_taken: CONFLICT,
  idempotency_mismatch: CONFLICT,
  suppressed: CONFLICT,
  no_consent: CONFLICT,
  rejected: CONFLICT,
  rate_limited: JSON_RPC_CODES.rate_limited,
  unavailable: JSON_RPC_CODES.unavailable,
  payload_too_large: INTERNAL_ERROR,
  unsupported_media_type: INTERNAL_ERROR,
  invalid_json: INTERNAL_ERROR,
  not_an_object: INTERNAL_ERROR,
  too_complex: INTERNAL_ERROR,
  internal: INTERNAL_ERROR,
} as const satisfies Record<AppErrorCode, number>;

/** Converts an expected failure to a JSON-RPC error with `data`. Returns a bug as it is. */
export function toJsonRpcError(thrown: unknown, data?: object): unknown {
  if (!(thrown instanceof AppError)) return thrown;
  const code = METHOD_ERROR_CODES[thrown.code];
  if (code === INTERNAL_ERROR) return thrown;
  const { message, details } = thrown;
  const members = { ...data, ...(details && { details }) };
  return new JsonRpcError(code, message, Object.keys(members).length > 0 ? members : undefined);
}

/** Waits for `work`, and converts an expected failure of it to a JSON-RPC error. */
export async function withJsonRpcErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toJsonRpcError(error);
  }
}

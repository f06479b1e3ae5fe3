import { AppError, type AppErrorCode } from '../errors/app-error.js';
import { INTERNAL_ERROR, INVALID_PARAMS, JSON_RPC_CODES, JsonRpcError } from './json-rpc-error.js';

const CONFLICT = 1409;

/** Code of what a resource, prompt, completion or task throws: these have no results that tell of a failure. */
const READING_CODES = {
  // MCP 2026-07-28, basic/index: -32002 of earlier revisions must not be used any more.
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

/** The JSON-RPC error that tells of an expected failure, with `data` beside it; anything else stays the bug it is. */
export function readingError(thrown: unknown, data?: object): unknown {
  if (!(thrown instanceof AppError)) return thrown;
  const code = READING_CODES[thrown.code];
  if (code === INTERNAL_ERROR) return thrown;
  const { message, details } = thrown;
  const told = { ...data, ...(details && { details }) };
  return new JsonRpcError(code, message, Object.keys(told).length > 0 ? told : undefined);
}

/** Waits for what is read, and throws the JSON-RPC error where that fails as it may be expected to. */
export async function orReadingError<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw readingError(error);
  }
}

import type { AppErrorCode } from './app-error.js';

/** HTTP status of each failure at the edges that speak plain HTTP (RFC 9110). */
export const HTTP_STATUS = {
  invalid_arguments: 422,
  invalid_credentials: 401,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  email_taken: 409,
  idempotency_mismatch: 422,
  suppressed: 409,
  no_consent: 409,
  rejected: 424,
  rate_limited: 429,
  payload_too_large: 413,
  unsupported_media_type: 415,
  invalid_json: 400,
  not_an_object: 400,
  too_complex: 400,
  invalid_signature: 401,
  unavailable: 503,
  internal: 500,
} as const satisfies Record<AppErrorCode, number>;

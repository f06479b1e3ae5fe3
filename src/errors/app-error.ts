/** Every failure that a caller may be told about. Each edge maps the whole union, so adding one is a compile error there. */
export type AppErrorCode =
  | 'invalid_arguments'
  | 'invalid_credentials'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'email_taken'
  | 'idempotency_mismatch'
  | 'suppressed'
  | 'no_consent'
  | 'rejected'
  | 'rate_limited'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'invalid_json'
  | 'not_an_object'
  | 'too_complex'
  | 'invalid_signature'
  | 'unavailable'
  | 'internal';

/** One fault of an input: where it is, in the caller's own names, and what is wrong. */
export interface Fault {
  path: string;
  message: string;
}

export interface AppErrorExtras {
  /** What is wrong where; shown to the caller. */
  details?: readonly Fault[];
  /** Seconds after which trying again makes sense. */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** An expected failure. Its message is written for the caller and safe to show; anything else that is thrown is a bug. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly details?: readonly Fault[];
  readonly retryAfterSeconds?: number;

  constructor(
    readonly code: AppErrorCode,
    message: string,
    extras: AppErrorExtras = {},
  ) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.details = extras.details;
    this.retryAfterSeconds = extras.retryAfterSeconds;
  }

  static invalid(message: string, details?: readonly Fault[]): AppError {
    return new AppError('invalid_arguments', message, { details });
  }

  /** Reports one wrong field; its message is the path and the fault as a sentence. */
  static invalidField(path: string, message: string): AppError {
    return AppError.invalid(`${path} ${message}.`, [{ path, message }]);
  }

  /** The one answer for a row that does not exist and for one of another organization. */
  static notFound(what: string): AppError {
    return new AppError('not_found', `No ${what} has this id.`);
  }
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}

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

/** No, or no valid, API key. `challenge` is the value of `WWW-Authenticate` (RFC 9110, section 11.6.1; RFC 6750). */
export class UnauthenticatedError extends AppError {
  constructor(
    message: string,
    readonly challenge: string,
  ) {
    super('unauthenticated', message);
  }
}

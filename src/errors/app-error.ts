import { asSentence } from './as-sentence.js';

/** The error codes that callers see, with the status of their plain HTTP responses (RFC 9110). */
export const HTTP_STATUS = {
  invalid_arguments: 422,
  invalid_credentials: 401,
  unauthenticated: 401,
  forbidden: 403,
  confirmation_required: 403,
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
  invalid_body: 400,
  too_complex: 400,
  invalid_signature: 401,
  unavailable: 503,
  internal: 500,
} as const;

/**
 * The code of an error that callers see. Each protocol (HTTP, JSON-RPC) maps all codes, so a new code that a protocol
 * does not map is a compile error.
 */
export type AppErrorCode = keyof typeof HTTP_STATUS;

/** One validation error of an input. `path` uses the names that the caller sent. */
export interface Fault {
  path: string;
  message: string;
}

export interface AppErrorExtras {
  /** The faults of the input. The caller sees these faults. */
  details?: readonly Fault[];
  /** The values that callers see beside the message, for example the current version of a workflow. */
  members?: Readonly<Record<string, string | number>>;
  /** The seconds after which the caller may retry. */
  retryAfterSeconds?: number;
  /** The answer of another system. Only the run of a workflow shows it, to its steps and to people. */
  response?: object;
  cause?: unknown;
}

/** Reports an expected failure. Its message is for the caller and safe to show. Every other thrown error is a bug. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly details?: readonly Fault[];
  readonly members?: Readonly<Record<string, string | number>>;
  readonly retryAfterSeconds?: number;
  readonly response?: object;

  constructor(
    readonly code: AppErrorCode,
    message: string,
    extras: AppErrorExtras = {},
  ) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.details = extras.details;
    this.members = extras.members;
    this.retryAfterSeconds = extras.retryAfterSeconds;
    this.response = extras.response;
  }

  static invalid(message: string, details?: readonly Fault[]): AppError {
    return new AppError('invalid_arguments', message, { details });
  }

  /** Reports one wrong field; its message is the path and the fault as a sentence. */
  static invalidField(path: string, message: string): AppError {
    return AppError.invalid(asSentence(`${path} ${message}`), [{ path, message }]);
  }

  /** Returns the same error for a row that does not exist and for a row of another organization. */
  static notFound(what: string): AppError {
    return new AppError('not_found', `No ${what} has this id.`);
  }
}

/** Returns the row. Throws `not_found` when it is null. */
export function assertFound<Row>(row: Row | null, what: string): Row {
  if (row === null) throw AppError.notFound(what);
  return row;
}

/** Returns a thrown `Error` unchanged. Wraps any other value in an `Error` with that value as cause. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}

/**
 * Reports a missing or wrong API key. `challenge` is the value of `WWW-Authenticate` (RFC 9110, section 11.6.1;
 * RFC 6750).
 */
export class UnauthenticatedError extends AppError {
  constructor(
    message: string,
    readonly challenge: string,
  ) {
    super('unauthenticated', message);
  }
}

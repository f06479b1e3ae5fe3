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

  /** The one answer for a row that does not exist and for one of another organization. */
  static notFound(what: string): AppError {
    return new AppError('not_found', `No ${what} has this id.`);
  }
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}

import { isObject } from './reader.js';

/** Describes the fault of one field of a request. */
export interface Fault {
  path: string;
  message: string;
}

/** The code of a failure that the browser detects: there is no answer, no complete answer, or an unknown answer. */
export type LocalCode = 'offline' | 'cut_off' | 'unexpected';

/** Describes a failed request with everything that a person needs to know about it. */
export class ApiError extends Error {
  constructor(
    /** The status of the answer, or 0 when there was no answer. */
    readonly status: number,
    /** A code of the service (docs/errors.md) or a {@link LocalCode}. */
    readonly code: string,
    /** The message of the service in English. It is written for callers, so the page may show it. */
    readonly detail: string,
    readonly faults: readonly Fault[] = [],
    readonly errorId?: string,
    readonly retryAfterSeconds?: number,
    /** The version that the row has now, when the request expected another one. */
    readonly currentVersion?: number,
  ) {
    super(`${code}: ${detail}`);
  }

  /** True when the same request may succeed soon. */
  get isPassing(): boolean {
    return (
      ['offline', 'cut_off', 'unavailable', 'rate_limited'].includes(this.code) ||
      [429, 502, 503, 504].includes(this.status)
    );
  }
}

/** Reads the problem details (RFC 9457) of an answer. The answer of a proxy may have another format. */
export function toApiError(status: number, body: unknown, retryAfter: string | null): ApiError {
  const problem = isObject(body) ? body : {};
  const { code, detail, errors, error_id: errorId, current_version: currentVersion } = problem;
  return new ApiError(
    status,
    typeof code === 'string' ? code : codeOf(status),
    typeof detail === 'string' ? detail : '',
    Array.isArray(errors) ? errors.filter(isFault) : [],
    typeof errorId === 'string' ? errorId : undefined,
    retryAfter === null ? undefined : readRetryAfter(retryAfter, Date.now()),
    typeof currentVersion === 'number' ? currentVersion : undefined,
  );
}

/** Returns the seconds of a Retry-After header, which has a number of seconds or a date (RFC 9110, section 10.2.3). */
export function readRetryAfter(header: string, now: number): number | undefined {
  if (/^\d+$/.test(header)) return Number(header);
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - now) / 1000));
}

function isFault(value: unknown): value is Fault {
  return isObject(value) && typeof value.path === 'string' && typeof value.message === 'string';
}

/** Returns a code for an answer of a proxy, because such an answer contains no code. */
function codeOf(status: number): string {
  if (status === 401) return 'unauthenticated';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 409) return 'conflict';
  if (status === 413) return 'payload_too_large';
  if (status === 429) return 'rate_limited';
  return [502, 503, 504].includes(status) ? 'unavailable' : 'unexpected';
}

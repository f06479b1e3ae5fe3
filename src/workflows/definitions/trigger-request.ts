/** The part of the HTTP request, besides the payload, that the steps of its run can read. It is stored with the run. */
export interface TriggerRequest {
  method: string;
  /** The headers, with lowercase names. */
  headers: Readonly<Record<string, string>>;
  /** The fields of the query. A field that occurs several times is a list. */
  query: Readonly<Record<string, unknown>>;
  /** The time at which the request was received, in RFC 3339. */
  received_at: string;
}

/** The members of the variable `trigger`. */
export const TRIGGER_VARIABLE = [
  'type',
  'payload',
  'headers',
  'query',
  'method',
  'received_at',
] as const;

type TriggerVariable = Record<(typeof TRIGGER_VARIABLE)[number], unknown>;

interface RunStartValues {
  readonly type: string;
  readonly payload: unknown;
  /**
   * The part of the request that steps can read. Absent when no webhook started the run, or when the workflow does not
   * read the request.
   */
  readonly request?: TriggerRequest | null;
  /** The time at which the run was created. It replaces the time of receipt when there is no request. */
  readonly createdAt: Date;
}

/** Returns the value of `trigger` in expressions. Without a request, this value has no headers and no query. */
export function triggerVariable(start: RunStartValues): TriggerVariable {
  const { type, payload, request, createdAt } = start;
  return {
    type,
    payload,
    headers: request?.headers ?? {},
    query: request?.query ?? {},
    method: request?.method ?? null,
    received_at: request?.received_at ?? createdAt.toISOString(),
  };
}

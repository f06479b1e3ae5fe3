const PRINTABLE_ASCII = /^[ -~]*$/;
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}]/gu;

/** The origin of a request. The audit log and the log of calls store it. */
export interface RequestOrigin {
  /** The id of the request. It is unique, and the caller gets it as the header `X-Request-Id`. */
  readonly requestId: string;
  readonly address: string | undefined;
  /** The first 120 characters of the header `User-Agent`. */
  readonly client: string | undefined;
}

/** Returns an origin in the form in which functions of the gate write it to the audit log. */
export function originJson(origin: RequestOrigin | undefined): string | null {
  if (!origin) return null;
  const { requestId, address, client } = origin;
  return JSON.stringify({ request_id: requestId, address, client });
}

/** Returns the first characters of an untrusted text, without control characters. PostgreSQL can store the result. */
export function oneLine(text: string, most: number): string {
  const start = text.slice(0, most);
  // Nearly every text passes this check, so the expression below is seldom needed.
  if (PRINTABLE_ASCII.test(start)) return start;
  return start.toWellFormed().replace(CONTROL_CHARACTERS, ' ');
}

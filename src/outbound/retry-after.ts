const MOST_SECONDS = 3600;

/** Seconds that a Retry-After header (RFC 9110, 10.2.3) asks for, at most an hour; undefined when it says nothing. */
export function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(Math.max(Math.ceil(seconds), 0), MOST_SECONDS);
}

import type { IncomingHttpHeaders } from 'node:http';

/** The parts of a request that a provider may sign. */
export interface SignedRequest {
  /** The bytes that were sent. */
  body: Uint8Array;
  headers: IncomingHttpHeaders;
  /** The address with the query, as the sender uses it. */
  url: string;
}

export function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(queryTextOf(url));
}

/** Returns the text after the question mark. */
export function queryTextOf(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}

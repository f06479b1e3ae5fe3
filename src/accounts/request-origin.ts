import type { Request } from 'express';
import { randomBytes } from 'node:crypto';
import { clientAddress } from '../http/client-address.js';

const MOST_CLIENT_CHARACTERS = 120;
const PRINTABLE_ASCII = /^[ -~]*$/;
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}]/gu;
// Ids of one process differ by a counter, because random ones for each request would cost more than the rest.
const PREFIX = `req_${randomBytes(9).toString('base64url')}`;

let count = 0;

/** Says where a request came from. It is written to the audit log and to the log of calls. */
export interface RequestOrigin {
  /** It is unique, and the caller gets it as the header `X-Request-Id`. */
  readonly requestId: string;
  readonly address: string | undefined;
  /** Has the first 120 characters of the header `User-Agent`. */
  readonly client: string | undefined;
}

/** Gives a request its id. Call it once for each request. */
export function originOf(request: Request): RequestOrigin {
  count += 1;
  const requestId = `${PREFIX}${count.toString(36)}`;
  request.res?.setHeader('X-Request-Id', requestId);
  return { requestId, ...clientOf(request) };
}

/** Returns the address of a request and the beginning of its User-Agent. */
export function clientOf(request: Request): { address: string; client: string | undefined } {
  const { 'user-agent': agent } = request.headers;
  return {
    address: clientAddress(request),
    client: agent && oneLine(agent, MOST_CLIENT_CHARACTERS),
  };
}

/** Returns an origin as functions of the gate take it, to write it to the audit log. */
export function originJson(origin: RequestOrigin | undefined): string | null {
  if (!origin) return null;
  const { requestId, address, client } = origin;
  return JSON.stringify({ request_id: requestId, address, client });
}

/** Returns the first characters of a text that others chose, without control characters. PostgreSQL can store it. */
export function oneLine(text: string, most: number): string {
  const start = text.slice(0, most);
  // Nearly every text is like this, so the expression below is seldom needed.
  if (PRINTABLE_ASCII.test(start)) return start;
  return start.toWellFormed().replace(CONTROL_CHARACTERS, ' ');
}

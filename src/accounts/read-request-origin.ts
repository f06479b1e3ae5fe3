import type { Request } from 'express';
import { randomBytes } from 'node:crypto';
import { clientAddress } from '../http/client-address.js';
import { oneLine, type RequestOrigin } from './request-origin.js';

const MOST_CLIENT_CHARACTERS = 120;
// Each id consists of this prefix and a counter. A random text for each request would take longer than the rest of
// `readRequestOrigin`.
const PREFIX = `req_${randomBytes(9).toString('base64url')}`;

let count = 0;

/** Returns the origin of a request, and gives the request its id. Call this function once for each request. */
export function readRequestOrigin(request: Request): RequestOrigin {
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

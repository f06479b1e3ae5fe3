import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../../errors/app-error.js';
import type { TriggerRequest } from '../../definitions/trigger-request.js';
import { USUAL_HEADERS } from '../../definitions/webhook-headers.js';
import { objectOfFields, parseForm } from './fields.js';

const MAX_VALUE_BYTES = 1024;
const MAX_HEADERS_BYTES = 8 * 1024;
const MAX_QUERY_BYTES = 8 * 1024;

/** The parts of a request that the expressions of a workflow read. */
export interface ReadableRequest {
  method: string;
  headers: IncomingHttpHeaders;
  /** The text after the question mark of the address. */
  query: string;
  receivedAt: Date;
}

/**
 * Reads the parts of a request that expressions see: the usual headers, the headers that the trigger names, and the
 * query. Throws `too_complex` for a query of more than 8 KiB or 1,000 fields, and `invalid_body` for a query that is
 * not UTF-8.
 */
export function readRequest(
  { method, headers, query, receivedAt }: ReadableRequest,
  names: readonly string[] = [],
): TriggerRequest {
  if (Buffer.byteLength(query) > MAX_QUERY_BYTES) {
    throw new AppError('too_complex', `The query has more than ${MAX_QUERY_BYTES} bytes.`);
  }
  return {
    method,
    headers: readHeaders(headers, [...new Set([...USUAL_HEADERS, ...names])]),
    query: objectOfFields(parseForm(query)),
    received_at: receivedAt.toISOString(),
  };
}

/** Leaves out a header that is too long, because a shortened value could have a different meaning. */
function readHeaders(
  headers: IncomingHttpHeaders,
  names: readonly string[],
): Record<string, string> {
  const found: [string, string][] = [];
  let bytes = 0;
  for (const name of names) {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (typeof value !== 'string' || value.length > MAX_VALUE_BYTES) continue;
    if (bytes + name.length + value.length > MAX_HEADERS_BYTES) continue;
    bytes += name.length + value.length;
    found.push([name, value]);
  }
  return Object.fromEntries(found);
}

import { AppError } from '../errors/app-error.js';
import { parseJsonExactly } from '../http/request-body.js';
import type { HttpResponse } from './http-exchange.js';

/** Allows more than bodies of requests, because a step cannot ask the other system for less. */
const JSON_LIMITS = { depth: 64, members: 100_000 };
const BYTE_ORDER_MARKS: readonly [string, Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];

/**
 * Returns the body of a response as JSON or as text, decoded by its byte order mark or its charset. Throws `rejected` for
 * a compressed response, and for JSON with too many values.
 */
export function parseResponseBody({ headers, body }: Omit<HttpResponse, 'status'>): {
  json: unknown;
  text: string | null;
} {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new AppError(
      'rejected',
      'The response is compressed, although the request allowed no compression.',
    );
  }
  const contentType = headers['content-type'] ?? '';
  const text = decode(body, contentType);
  return isJson(contentType) ? parseJsonOrText(text) : { json: null, text };
}

function isJson(contentType: string): boolean {
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  return type === 'application/json' || type === 'text/json' || type.endsWith('+json');
}

/** A charset that is unknown or absent counts as UTF-8. Bytes that are invalid become U+FFFD. */
function decode(body: Buffer, contentType: string): string {
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => body.subarray(0, mark.length).equals(mark));
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]{1,40})/i.exec(contentType) ?? [];
  return decodeAs(marked?.[0] ?? charset, body);
}

function decodeAs(charset: string, body: Buffer): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

function parseJsonOrText(text: string): { json: unknown; text: string | null } {
  try {
    return { json: parseJsonExactly(Buffer.from(text), JSON_LIMITS), text: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Without this, a step that reads a member of the JSON would find nothing.
    if (error.code === 'too_complex') {
      throw new AppError('rejected', error.message.replace('The body', 'The JSON of the response'));
    }
    // The body is not valid JSON in spite of its content-type, so it is returned as text.
    return { json: null, text };
  }
}

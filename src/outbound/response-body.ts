import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { AppError } from '../errors/app-error.js';
import { parseJsonExactly } from '../http/request-body.js';
import { type HttpResponse, MOST_RESPONSE_BYTES, type ResponseHead } from './http-exchange.js';

type Decompressor = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECOMPRESSORS: ReadonlyMap<string, Decompressor> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/**
 * The limits of JSON in a response. They are larger than the limits of requests, because a step cannot ask the other
 * system for less data. If more different names were allowed, the parser could keep the process busy for more than 0.1
 * s.
 */
const JSON_LIMITS = { depth: 64, members: 100_000, names: 50_000 };
/** Matches text types besides text/… and JSON. */
const TEXT_TYPES =
  /^application\/(?:xml|(?:x-)?javascript|x-www-form-urlencoded|(?:x-)?yaml|x-ndjson|graphql)$|\+xml$/;
const MOST_ERROR_CHARACTERS = 16 * 1024;
const BYTE_ORDER_MARKS: readonly [string, Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];

/** A body as steps see it. Either `json` or `text` is null. */
export interface ParsedBody {
  json: unknown;
  text: string | null;
}

/**
 * Returns the body of a response as JSON or as text, decompressed, and decoded by its byte order mark or its charset.
 * Throws `rejected` for a body of more than 1 MiB after it is decompressed, and for JSON with too many values.
 */
export async function parseResponseBody(
  response: Omit<HttpResponse, 'status'>,
): Promise<ParsedBody> {
  return parseBytes(response, await decompressBody(response, MOST_RESPONSE_BYTES));
}

/** Parses a body that is decompressed already. */
export function parseBytes({ headers }: Pick<ResponseHead, 'headers'>, bytes: Buffer): ParsedBody {
  const contentType = headers['content-type'] ?? '';
  const text = decode(bytes, contentType);
  return isJson(contentType) ? parseJsonOrText(text) : { json: null, text };
}

/** Returns the body. When the body is too long for an error of a step, returns only the beginning of its text. */
export function shortenBody(body: ParsedBody): ParsedBody {
  const text = body.text ?? JSON.stringify(body.json);
  if (text.length <= MOST_ERROR_CHARACTERS) return body;
  return { json: null, text: text.slice(0, MOST_ERROR_CHARACTERS).toWellFormed() };
}

/** Returns true for a media type whose content is text. */
export function isTextType(contentType: string): boolean {
  const type = mediaTypeOf(contentType);
  return type.startsWith('text/') || isJson(contentType) || TEXT_TYPES.test(type);
}

/**
 * Reverses the coding of a body (RFC 9110, 8.4.1). Throws `rejected` for several codings, and for a body of more than
 * `most` bytes after it is decompressed.
 */
export async function decompressBody(
  { headers, body }: Omit<HttpResponse, 'status'>,
  most: number,
): Promise<Buffer> {
  const name = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (name === 'identity' || body.length === 0) return body;
  const decompressWith = DECOMPRESSORS.get(name);
  if (!decompressWith) throw new AppError('rejected', 'The response has an unknown compression.');
  try {
    return await decompressWith(body, { maxOutputLength: most });
  } catch (error) {
    const isTooLarge = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
    throw new AppError(
      'rejected',
      isTooLarge
        ? `The response is larger than ${most} bytes when it is decompressed.`
        : 'The response cannot be decompressed: its bytes do not fit its Content-Encoding.',
      { cause: error },
    );
  }
}

function mediaTypeOf(contentType: string): string {
  return contentType.split(';')[0]!.trim().toLowerCase();
}

function isJson(contentType: string): boolean {
  const type = mediaTypeOf(contentType);
  return type === 'application/json' || type === 'text/json' || type.endsWith('+json');
}

/** Decodes bytes. A charset that is unknown or absent counts as UTF-8. Invalid bytes become U+FFFD. */
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
    // JSON that is too complex is refused. If such JSON were returned as text, a step could not read its members, and
    // would get no value.
    if (error.code === 'too_complex') {
      throw new AppError('rejected', error.message.replace('The body', 'The JSON of the response'));
    }
    // The body is not valid JSON in spite of its content-type, so it is returned as text.
    return { json: null, text };
  }
}

import type { Request } from 'express';
import { AppError } from '../errors/app-error.js';
import { quoteInexactNumbers } from '../text/exact-numbers.js';
import { hasMoreNames, measureMembers } from '../text/json-members.js';
import { joinChunks, receiveChunks, type TakeTurn } from './body-chunks.js';
import { renewAccess } from './request-access.js';
import { tooManyChunks } from './small-chunks.js';

/**
 * Reads the raw body of a request as {@link readRawBody} does. Throws `unsupported_media_type` for anything but
 * uncompressed JSON.
 */
export async function readJsonBody(
  request: Request,
  limitBytes: number,
  takeTurn: TakeTurn,
): Promise<Buffer> {
  assertJson(request);
  return await readRawBody(request, limitBytes, takeTurn);
}

/**
 * Reads the bytes that were sent, which signatures cover. After the last byte, waits for `takeTurn`: work with the body
 * should follow immediately. Throws `payload_too_large` before it buffers more than `limitBytes`, `too_complex` for
 * thousands of small chunks, and `invalid_json` for an incomplete body. Throws the errors of {@link renewAccess} when
 * the key or the session of the request ended before the last byte arrived, or before the turn.
 */
export async function readRawBody(
  request: Request,
  limitBytes: number,
  takeTurn: TakeTurn,
): Promise<Buffer> {
  const chunks = await receiveBody(request, limitBytes);
  await renewAccess(request);
  const body = await joinChunks(chunks, takeTurn);
  // The body may have waited for its turn for seconds, in which the key may have been revoked.
  await renewAccess(request);
  return body;
}

async function receiveBody(request: Request, limitBytes: number): Promise<Buffer[]> {
  const length = request.headers['content-length'];
  if (length !== undefined && Number(length) > limitBytes) {
    request.resume();
    throw tooLarge(limitBytes);
  }
  const chunks = receiveChunks(request, (size) => {
    if (size > limitBytes) throw tooLarge(limitBytes);
  });
  return await (length === undefined ? Promise.race([chunks, tooManyChunks(request)]) : chunks);
}

function tooLarge(limitBytes: number): AppError {
  return new AppError(
    'payload_too_large',
    `The body is larger than ${limitBytes} bytes. Send a smaller body.`,
  );
}

function assertJson(request: Request): void {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').split(';');
  const charset = parameters
    .map((parameter) => parameter.trim().toLowerCase())
    .find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type.trim().toLowerCase() !== 'application/json' || !isUtf8) {
    throw new AppError('unsupported_media_type', 'Content-Type must be application/json in UTF-8.');
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'Send the body without Content-Encoding.');
  }
}

/**
 * Returns the parsed JSON body of a request, or undefined when it has none. Waits for `takeTurn` before it parses the
 * body. Throws as {@link readJsonBody} and {@link parseJson} do.
 */
export async function readBodyIfAny(
  request: Request,
  limitBytes: number,
  takeTurn: TakeTurn,
  limits: Partial<JsonLimits> = {},
): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': transfer } = request.headers;
  if (transfer === undefined && (length === undefined || length === '0')) {
    // The request may have waited for its turn after its key or session was looked up.
    await renewAccess(request);
    return undefined;
  }
  const body = await readJsonBody(request, limitBytes, takeTurn);
  return parseJson(body, { ...BODY_LIMITS, ...limits });
}

/** The limits of JSON. Without them, recursive code could overflow the stack, and many values would take long. */
export interface JsonLimits {
  readonly depth: number;
  readonly members: number;
  /** The largest number of different names. Without this limit, each member could have a different name. */
  readonly names?: number;
}

const BODY_LIMITS: JsonLimits = { depth: 64, members: 10_000 };

/**
 * Parses a JSON text in UTF-8 (RFC 8259). Throws `invalid_json` when it is malformed, and `too_complex` when it is
 * nested deeper than 64 levels or has more than 10,000 members. A name that an object repeats counts each time.
 */
export function parseJson(body: Uint8Array, limits = BODY_LIMITS): unknown {
  return parseText(body, limits, (text) => text);
}

/**
 * Parses as {@link parseJson} does, but keeps the digits of every number. A number that JavaScript would round becomes
 * a text, such as "12345678901234567890". Other systems have ids beyond 2^53.
 */
export function parseJsonExactly(body: Uint8Array, limits = BODY_LIMITS): unknown {
  return parseText(body, limits, quoteInexactNumbers);
}

function parseText(
  body: Uint8Array,
  { depth: deepest, members: most, names }: JsonLimits,
  prepare: (text: string) => string,
): unknown {
  const text = decode(body);
  // The limits are checked in the text, before it is parsed: too many values would fill the memory, and counting parsed
  // values takes long.
  const { members, depth } = measureMembers(text, most);
  if (members > most) throw tooMany(most, 'values');
  if (depth > deepest) {
    throw new AppError('too_complex', `The body is nested deeper than ${deepest} levels.`);
  }
  if (names !== undefined && hasMoreNames(text, names)) throw tooMany(names, 'different names');
  return parse(prepare(text));
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (error) {
    throw notJson(error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(error);
  }
}

function notJson(cause: unknown): AppError {
  return new AppError('invalid_json', 'The body is not JSON in UTF-8.', { cause });
}

function tooMany(most: number, what: string): AppError {
  return new AppError('too_complex', `The body has more than ${most} ${what}.`);
}

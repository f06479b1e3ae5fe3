import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { AppError } from '../../../errors/app-error.js';
import type { TakeTurn } from '../../../http/body-chunks.js';
import { parseJsonExactly } from '../../../http/request-body.js';
import { isJsonObject } from '../../../text/is-json-object.js';
import type { WebhookFormat } from '../../definitions/webhook-formats.js';
import type { OutlinedPayload } from '../../payloads/large-payloads.service.js';
import type { LargePayload } from '../../payloads/large-value.js';
import type { ContentType } from './content-type.js';
import { type Field, notUtf8, objectOfFields, parseForm } from './fields.js';
import { fieldsJson, formJson, type LargeWork, textJson } from './large-fields.js';
import { parseMultipart } from './parse-multipart.js';

/**
 * The largest body that is read in one piece, in bytes. A larger body is read in parts, between which other requests
 * are served.
 */
export const SMALL_BODY_BYTES = 1024 * 1024;

const decompress = promisify(gunzip);

export interface Payload {
  payload: object;
  /** The JSON of the payload: for a JSON object, the bytes that were sent. */
  bytes: Buffer;
  /** The large values of a large payload. When set, `payload` and `bytes` are the outline of the payload. */
  large?: LargeBody;
}

export interface LargeBody extends LargePayload {
  /** The JSON of the payload. */
  readonly whole: Buffer;
}

export interface PayloadRules {
  formats: readonly WebhookFormat[];
  /**
   * True when a form with only the field `payload` is replaced by the JSON object in this field. GitHub and Slack send
   * such forms.
   */
  unwrapsPayload: boolean;
  /**
   * True when a body that begins with a brace is read as JSON, whatever its Content-Type. The signatures of providers do
   * not cover the Content-Type. Without this rule, somebody could send a recorded delivery as a form, in which the signed
   * id is not found, and start its run again.
   */
  readsObjectsAsJson?: boolean;
  /** Takes a turn for the work with a decompressed body. A compressed body of 1 KiB can have 1 MiB then. */
  takeTurn: TakeTurn;
  /** The rules for payloads of more than 1 MiB. When absent, such payloads are refused. */
  large?: LargeRules;
}

/**
 * The rules for large payloads. The limit `maxBytes` applies to the payload as JSON, and to a compressed body after it
 * is decompressed.
 */
export interface LargeRules extends LargeWork {
  /** Reserves memory for a large payload. Throws `unavailable` when there is none. */
  reserve(): void;
  /** Checks a payload. Throws `invalid_json` and `too_complex`. */
  outline(bytes: Buffer): Promise<OutlinedPayload>;
}

/**
 * Returns the payload of a body, for whose bytes the caller has taken a turn. A body that is not a JSON object is
 * converted to one, as docs/webhooks.md says. Throws `invalid_json`, `not_an_object`, `invalid_body`, `too_complex` or
 * `payload_too_large`.
 */
export async function readPayload(
  sent: Buffer,
  given: ContentType,
  rules: PayloadRules,
): Promise<Payload> {
  const body = given.isCompressed ? await decompressBody(sent, rules) : sent;
  const isJson = rules.readsObjectsAsJson === true && beginsObject(body);
  const type = isJson ? ({ ...given, kind: 'json' } as const) : given;
  if (body.length > SMALL_BODY_BYTES) return await readLargePayload(body, type, rules);
  try {
    return await readSmallPayload(body, type, rules);
  } catch (error) {
    const isTooLarge = error instanceof AppError && error.code === 'payload_too_large';
    if (!isTooLarge || !rules.large) throw error;
    rules.large.reserve();
    return await readLargePayload(body, type, rules);
  }
}

async function readLargePayload(
  body: Buffer,
  type: ContentType,
  rules: PayloadRules,
): Promise<Payload> {
  const { large } = rules;
  if (!large) throw tooLarge('The body is larger', SMALL_BODY_BYTES);
  switch (type.kind) {
    case 'json':
      return await outlined(wholeJson(body, rules.formats.includes('json')), large);
    case 'form':
      return await outlined(await formJson(body, large, rules.unwrapsPayload), large);
    case 'multipart':
      return await outlined(await fieldsJson(await parseParts(body, type), large), large);
    case 'text':
      return await outlined(await textJson(body, type.charset ?? 'utf-8', large), large);
    case 'unknown':
      return await readLargeUnknown(body, rules.formats, large);
  }
}

async function readLargeUnknown(
  body: Buffer,
  formats: readonly WebhookFormat[],
  large: LargeRules,
): Promise<Payload> {
  if (!formats.includes('text')) return await outlined(wholeJson(body, true), large);
  if (formats.includes('json')) {
    try {
      return await outlined(wholeJson(body, true), large);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_json') throw error;
    }
  }
  return await outlined(await textJson(body, 'utf-8', large), large);
}

function wholeJson(body: Buffer, acceptsAny: boolean): Buffer {
  if (beginsObject(body)) return body;
  if (!acceptsAny) throw notAnObject();
  return wrap(body);
}

/** Returns the payload with this JSON. A large body may have small JSON, because contents of files are not kept. */
async function outlined(whole: Buffer, rules: LargeRules): Promise<Payload> {
  if (whole.length > rules.maxBytes) throw tooLarge('As JSON, the body is larger', rules.maxBytes);
  if (whole.length <= SMALL_BODY_BYTES) {
    const payload = parseJsonExactly(whole);
    if (!isJsonObject(payload)) throw notAnObject();
    return { payload, bytes: whole };
  }
  if (!beginsObject(whole)) throw notAnObject();
  const { outline: bytes, large } = await rules.outline(whole);
  return { payload: parseJsonExactly(bytes) as object, bytes, large: { ...large, whole } };
}

async function parseParts(body: Buffer, { boundary }: ContentType): Promise<Field[]> {
  if (boundary === undefined) {
    throw new AppError('invalid_body', 'The Content-Type has no boundary.');
  }
  return await parseMultipart(body, boundary);
}

async function readSmallPayload(
  body: Buffer,
  type: ContentType,
  rules: PayloadRules,
): Promise<Payload> {
  switch (type.kind) {
    case 'json':
      return jsonPayload(body, rules.formats.includes('json'));
    case 'form':
      return formPayload(parseForm(decodeText(body)), rules.unwrapsPayload);
    case 'multipart':
      return fieldsPayload(await parseParts(body, type));
    case 'text':
      return textPayload(decodeText(body, type.charset));
    case 'unknown':
      return unknownPayload(body, rules.formats);
  }
}

/** Returns the fields of a query as payload. */
export function queryPayload(query: string): Payload {
  return fieldsPayload(parseForm(query));
}

function jsonPayload(body: Buffer, acceptsAny: boolean): Payload {
  const payload = parseJsonExactly(body);
  if (isJsonObject(payload)) return { payload, bytes: body };
  if (!acceptsAny) throw notAnObject();
  return assertSize({ payload: { body: payload }, bytes: wrap(body) });
}

function notAnObject(): AppError {
  return new AppError('not_an_object', 'The body must be a JSON object.');
}

/**
 * Returns the JSON of an object whose member `body` is this JSON. The bytes stay as they were sent, because a parsed
 * number may differ.
 */
function wrap(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from('{"body":'), withoutMark(body), Buffer.from('}')]);
}

/** Returns true when the first byte that is not white space is a brace. */
function beginsObject(body: Buffer): boolean {
  const text = withoutMark(body);
  let at = 0;
  while (at < text.length && text[at]! <= 0x20) at += 1;
  return text[at] === 0x7b;
}

function unknownPayload(body: Buffer, formats: readonly WebhookFormat[]): Payload {
  if (!formats.includes('text')) return jsonPayload(body, true);
  if (formats.includes('json')) {
    try {
      return jsonPayload(body, true);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_json') throw error;
    }
  }
  return textPayload(decodeText(body));
}

function formPayload(fields: readonly Field[], unwrapsPayload: boolean): Payload {
  const [only] = fields;
  if (unwrapsPayload && fields.length === 1 && only![0] === 'payload') {
    return jsonPayload(Buffer.from(String(only![1])), false);
  }
  return fieldsPayload(fields);
}

function fieldsPayload(fields: readonly Field[]): Payload {
  return payloadOf(objectOfFields(fields));
}

function textPayload(text: string): Payload {
  return payloadOf({ body: text });
}

function payloadOf(payload: object): Payload {
  return assertSize({ payload, bytes: Buffer.from(JSON.stringify(payload)) });
}

/**
 * Throws when the JSON is too large. Escapes can make the JSON larger than the body. Without this check, a stored
 * payload could be too large to be forwarded.
 */
function assertSize(found: Payload): Payload {
  if (found.bytes.length <= SMALL_BODY_BYTES) return found;
  throw tooLarge('As JSON, the body is larger', SMALL_BODY_BYTES);
}

/**
 * Decompresses a body. First tries the limit for small bodies, because a small body needs no reservation of memory. A
 * body that exceeds this limit is decompressed again from its beginning, after the reservation. Waits for a turn for the
 * decompressed body.
 */
async function decompressBody(sent: Buffer, { large, takeTurn }: PayloadRules): Promise<Buffer> {
  let body = await decompressUpTo(sent, SMALL_BODY_BYTES);
  if (!body && large) {
    large.reserve();
    body = await decompressUpTo(sent, large.maxBytes);
  }
  if (!body) throw tooLarge('The decompressed body is larger', large?.maxBytes ?? SMALL_BODY_BYTES);
  await takeTurn(body.length);
  return body;
}

/** Returns the decompressed body, or undefined when it is larger than the limit. */
async function decompressUpTo(sent: Buffer, most: number): Promise<Buffer | undefined> {
  try {
    return await decompress(sent, { maxOutputLength: most });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw new AppError('invalid_body', 'The body is not gzip, or not complete.', { cause: error });
  }
}

function tooLarge(what: string, most: number): AppError {
  return new AppError('payload_too_large', `${what} than ${most} bytes. Send a smaller body.`);
}

function decodeText(body: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch {
    if (charset === 'utf-8') throw notUtf8();
    throw new AppError('invalid_body', `The body is not ${charset}.`);
  }
}

/** Returns the bytes without a byte order mark at their beginning. JSON may begin with one, but not contain one. */
function withoutMark(body: Buffer): Buffer {
  return body.toString('latin1', 0, 3) === '\u00ef\u00bb\u00bf' ? body.subarray(3) : body;
}

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { AppError } from '../../../errors/app-error.js';
import { parseJsonExactly } from '../../../http/request-body.js';
import type { WebhookFormat } from '../../definitions/webhook-formats.js';
import { isObject } from '../../definitions/step-fields.js';
import type { ContentType } from './content-type.js';
import { type Field, notUtf8, objectOfFields, parseForm } from './fields.js';
import { parseMultipart } from './parse-multipart.js';

/** Limits the payload as JSON, and a compressed body after it is unpacked. */
const MAX_BYTES = 1024 * 1024;

const unpack = promisify(gunzip);

export interface Payload {
  payload: object;
  /** Has the JSON of the payload: for a JSON object, the bytes that were sent. */
  bytes: Buffer;
}

export interface PayloadRules {
  formats: readonly WebhookFormat[];
  /** A form whose only field `payload` has a JSON object stands for this object, as GitHub and Slack send it. */
  unwrapsPayload: boolean;
}

/**
 * Returns the payload of a body. What is not a JSON object becomes one, as docs/webhooks.md says. Throws `invalid_json`,
 * `not_an_object`, `invalid_body`, `too_complex` or `payload_too_large`.
 */
export async function readPayload(
  sent: Buffer,
  type: ContentType,
  rules: PayloadRules,
): Promise<Payload> {
  const body = type.isCompressed ? await unpackBody(sent) : sent;
  switch (type.kind) {
    case 'json':
      return jsonPayload(body, rules.formats.includes('json'));
    case 'form':
      return formPayload(parseForm(decodeText(body)), rules.unwrapsPayload);
    case 'multipart':
      if (type.boundary === undefined) {
        throw new AppError('invalid_body', 'The Content-Type has no boundary.');
      }
      return fieldsPayload(await parseMultipart(body, type.boundary));
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
  if (isObject(payload)) return { payload, bytes: body };
  if (!acceptsAny) throw new AppError('not_an_object', 'The body must be a JSON object.');
  // A parsed number may differ from the one that was sent.
  const bytes = Buffer.concat([Buffer.from('{"body":'), withoutMark(body), Buffer.from('}')]);
  return assertSize({ payload: { body: payload }, bytes });
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

/** Escapes can make the JSON larger than the body. Without this, a stored payload could not be forwarded. */
function assertSize(found: Payload): Payload {
  if (found.bytes.length <= MAX_BYTES) return found;
  throw tooLarge('The body is larger as JSON');
}

async function unpackBody(sent: Buffer): Promise<Buffer> {
  try {
    return await unpack(sent, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') {
      throw tooLarge('The unpacked body is larger');
    }
    throw new AppError('invalid_body', 'The body is not gzip, or not complete.', { cause: error });
  }
}

function tooLarge(what: string): AppError {
  return new AppError('payload_too_large', `${what} than ${MAX_BYTES} bytes. Send a smaller body.`);
}

function decodeText(body: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch {
    if (charset === 'utf-8') throw notUtf8();
    throw new AppError('invalid_body', `The body is not ${charset}.`);
  }
}

/** A byte order mark may stand before JSON, but not inside of it. */
function withoutMark(body: Buffer): Buffer {
  return body.toString('latin1', 0, 3) === '\u00ef\u00bb\u00bf' ? body.subarray(3) : body;
}

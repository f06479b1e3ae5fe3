import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../../errors/app-error.js';
import type { WebhookFormat } from '../../definitions/webhook-formats.js';

/** The way in which a body is read. With `unknown`, the sender did not name the format. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'unknown';

export interface ContentType {
  kind: BodyKind;
  /** The name of the charset in lowercase, if the sender gave one. */
  charset?: string;
  /** The text that separates the parts of a multipart body. */
  boundary?: string;
  isCompressed: boolean;
}

const PARAMETER = /;\s*(charset|boundary)\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))/gi;
const UTF_8 = /^utf-?8$/;

/**
 * Reads the headers about the body of a request. Throws `unsupported_media_type` for a type, charset or encoding that
 * the workflow does not accept. The type `application/json` is always accepted.
 */
export function readContentType(
  headers: IncomingHttpHeaders,
  formats: readonly WebhookFormat[],
): ContentType {
  const isCompressed = readEncoding(headers['content-encoding'], formats);
  const given = headers['content-type'] ?? '';
  const kind = kindOf(given.split(';', 1)[0]!.trim().toLowerCase(), formats);
  const parameters: { charset?: string; boundary?: string } = {};
  for (const [, name, quoted, plain] of given.matchAll(PARAMETER)) {
    parameters[name!.toLowerCase() as 'charset' | 'boundary'] ??= quoted ?? plain;
  }
  const charset = parameters.charset?.toLowerCase();
  const isKnown = kind === 'text' ? isDecodable(charset) : !charset || UTF_8.test(charset);
  if (!kind || !isKnown) throw new AppError('unsupported_media_type', expected(formats));
  return { kind, charset, boundary: parameters.boundary, isCompressed };
}

function kindOf(type: string, formats: readonly WebhookFormat[]): BodyKind | undefined {
  const accepts = (format: WebhookFormat): boolean => formats.includes(format);
  if (type === 'application/json') return 'json';
  if (type === '') return accepts('json') || accepts('text') ? 'unknown' : undefined;
  if (type === 'application/x-www-form-urlencoded') return accepts('form') ? 'form' : undefined;
  if (type === 'multipart/form-data') return accepts('multipart') ? 'multipart' : undefined;
  if (/^[^/]+\/[^/]+\+json$/.test(type)) return accepts('json') ? 'json' : undefined;
  const isText = type.startsWith('text/') || type === 'application/xml';
  return isText && accepts('text') ? 'text' : undefined;
}

/** Returns true when the body is compressed. Throws `unsupported_media_type` when compression is not allowed. */
function readEncoding(given: string | undefined, formats: readonly WebhookFormat[]): boolean {
  const encoding = given?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return false;
  const isGzip = encoding === 'gzip' || encoding === 'x-gzip';
  if (isGzip && formats.includes('gzip')) return true;
  const message = formats.includes('gzip')
    ? 'Content-Encoding must be gzip or identity.'
    : 'Send the body without Content-Encoding.';
  throw new AppError('unsupported_media_type', message);
}

function isDecodable(charset: string | undefined): boolean {
  try {
    new TextDecoder(charset).decode();
    return true;
  } catch {
    return false;
  }
}

const NAMES: Partial<Record<WebhookFormat, string>> = {
  json: 'another JSON type',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  text: 'text in a known charset',
};

function expected(formats: readonly WebhookFormat[]): string {
  const others = formats.flatMap((format) => NAMES[format] ?? []);
  if (others.length === 0) {
    return 'Content-Type must be application/json in UTF-8. The workflow takes other types with "accept" in its trigger.';
  }
  return `Content-Type must be one of: application/json, ${others.join(', ')}. JSON and forms must be in UTF-8.`;
}

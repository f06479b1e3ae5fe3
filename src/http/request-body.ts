import type { NextFunction, Request, RequestHandler, Response } from 'express';
import getRawBody from 'raw-body';
import { AppError } from '../errors/app-error.js';
import { parseJson } from './parse-json.js';

/**
 * Reads the whole body of a request that no parser has touched, byte for byte. Throws `payload_too_large` before
 * buffering more than `limitBytes`, and `unsupported_media_type` unless it is plain JSON: a compressed body would
 * leave open which bytes a signature covers, and how large it may grow.
 */
export async function readJsonBody(request: Request, limitBytes: number): Promise<Buffer> {
  assertJson(request);
  try {
    return await getRawBody(request, {
      length: request.headers['content-length'] ?? null,
      limit: limitBytes,
    });
  } catch (error) {
    const type = (error as { type?: string }).type;
    // What is left of the body must flow away, or the connection would wait for it for ever.
    request.resume();
    if (type === 'entity.too.large') {
      throw new AppError('payload_too_large', `The body is larger than ${limitBytes} bytes.`);
    }
    throw new AppError('invalid_json', 'The body did not arrive whole.', { cause: error });
  }
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
    throw new AppError('unsupported_media_type', 'The body must not be compressed.');
  }
}

/** The JSON body of a request, or undefined when it has none, with the same bounds as every other edge. */
export async function readBodyIfAny(request: Request, limitBytes: number): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': transfer } = request.headers;
  if (transfer === undefined && (length === undefined || length === '0')) return undefined;
  return parseJson(await readJsonBody(request, limitBytes));
}

/** Middleware for routes whose guards need the body: signing in, say. Others read it once their guards agree. */
export function jsonBody(limitBytes: number): RequestHandler {
  return (request: Request, _response: Response, next: NextFunction) => {
    readBodyIfAny(request, limitBytes)
      .then((body) => {
        request.body = body;
        next();
      })
      .catch(next);
  };
}

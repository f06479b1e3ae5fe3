import type { Request } from 'express';
import { PassThrough, type Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../errors/app-error.js';
import { renewAccess } from '../http/request-access.js';
import { tooManyChunks } from '../http/small-chunks.js';
import { safeName } from './file-name.js';

const MULTIPART = 'multipart/form-data';
/** The turns of the event loop in which the parser of forms surely reads what it has. It needs one or two. */
const MOST_TURNS = 50;

/** A file that is being received. */
export interface UploadBody {
  /** The name of the file. Undefined when the request names no file. */
  readonly name: string | undefined;
  readonly contentType: string | undefined;
  /**
   * The bytes of the file. Reading them throws `invalid_body` when the sender ends early, or `too_complex` for too many
   * small chunks. Throws the errors of {@link renewAccess} after the last byte, so that an upload is not stored when
   * its key or session ended meanwhile.
   */
  readonly bytes: AsyncIterable<Buffer>;
}

/**
 * Returns the file in a request: its body, or the first file of a form. With `types`, a body of another type throws
 * `unsupported_media_type`, and a body without a type counts as the first type.
 */
export async function readUpload(request: Request, types?: readonly string[]): Promise<UploadBody> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'Send the file without Content-Encoding.');
  }
  const header = request.headers['content-type'];
  const type = (header ?? types?.[0] ?? '').split(';')[0]!.trim().toLowerCase();
  if (type === MULTIPART) {
    return await Promise.race([firstFile(request, header!), tooManyChunks(request)]);
  }
  if (!types || types.includes(type)) {
    return { name: undefined, contentType: header, bytes: bytesOf(request, rawFile(request)) };
  }
  throw new AppError(
    'unsupported_media_type',
    `Content-Type must be ${types[0]}, or ${MULTIPART} with a file.`,
  );
}

/** Reads the rest of a refused file. Otherwise the sender would never read the answer. */
export function abandonUpload(request: Request): void {
  request.unpipe();
  request.resume();
  request.res?.setHeader('Connection', 'close');
}

async function firstFile(request: Request, header: string): Promise<UploadBody> {
  const { Busboy } = await import('@fastify/busboy');
  return await new Promise((resolve, reject) => {
    const fail = (): void => reject(new AppError('invalid_body', 'The form has no file. Add one.'));
    // The parser stops forever at some parts, for example at a part without a name. Before the file begins, a request
    // that still waits for the parser after some turns would wait forever.
    const failIfStopped = (): void => {
      void passTurns(MOST_TURNS).then(() => {
        if (request.isPaused() || request.readableEnded) fail();
      });
    };
    let parser: InstanceType<typeof Busboy>;
    try {
      parser = new Busboy({
        headers: { 'content-type': header },
        limits: { files: 1, fields: 20, fieldSize: 1024, parts: 21, headerSize: 16 * 1024 },
      });
    } catch {
      fail();
      return;
    }
    parser.on('file', (_field, stream, filename: string | undefined, _encoding, mimeType) => {
      request.off('pause', failIfStopped);
      endWith(request, stream);
      // An error of the form must end the bytes too, or the upload would wait for them.
      parser.on('error', () => stream.destroy(new Error('The form is malformed.')));
      resolve({
        name: safeName(filename ?? '') || undefined,
        contentType: mimeType,
        bytes: bytesOf(request, stream),
      });
    });
    parser.on('error', fail);
    parser.on('finish', fail);
    request.once('close', fail);
    request.on('pause', failIfStopped).once('end', failIfStopped);
    // A connection that is closed already emits no more events. Without this check, the upload would wait for them
    // forever.
    if (request.destroyed) fail();
    else request.pipe(parser);
  });
}

async function passTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

/** Returns the body. Copies a chunked body, because its errors must not end the connection before the answer. */
function rawFile(request: Request): Readable {
  if (request.headers['transfer-encoding'] === undefined) return request;
  const stream = new PassThrough();
  endWith(request, stream);
  if (request.destroyed) stream.destroy(new Error('The connection was closed.'));
  return request.pipe(stream);
}

/** Destroys `stream`, which has the bytes of the request, when the request ends early or has too many small chunks. */
function endWith(request: Request, stream: Readable): void {
  // Without this listener, an error while nobody reads the bytes would end the process. The reader gets it later.
  stream.on('error', (error: Error) => stream.destroy(error));
  request.once('close', () => {
    if (!request.complete) stream.destroy(new Error('The connection was closed.'));
  });
  tooManyChunks(request).catch((error: Error) => stream.destroy(error));
}

async function* bytesOf(request: Request, stream: Readable): AsyncGenerator<Buffer> {
  try {
    // Without this option, an error of a later stage would close the connection before the answer is sent.
    yield* stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_body', 'The upload was interrupted. Send the file again.', {
      cause: error,
    });
  }
  await renewAccess(request);
}

import type { Request } from 'express';
import type { Readable } from 'node:stream';
import { AppError } from '../errors/app-error.js';
import { safeName } from '../files/file-name.js';
import type { UploadFacts } from './import-uploads.service.js';
import { DELIMITERS } from './read-rows.js';

const TYPES: readonly string[] = [
  'text/csv',
  'text/plain',
  'text/tab-separated-values',
  'application/csv',
  'application/octet-stream',
  // Browsers on Windows name CSV files so.
  'application/vnd.ms-excel',
];
const MULTIPART = 'multipart/form-data';
const TAB = 'tab';
const CHOSEN_ENCODINGS = ['utf-8', 'windows-1252'] as const;

/** Returns what the query of an upload says. Throws `invalid_arguments`. */
export function parseUploadQuery(
  query: Record<string, unknown>,
): Omit<UploadFacts, 'name'> & { name: string | undefined } {
  const { name, delimiter, encoding } = query;
  const character = delimiter === TAB ? '\t' : delimiter;
  const delimiters: readonly unknown[] = DELIMITERS;
  if (character !== undefined && !delimiters.includes(character)) {
    throw AppError.invalidField('delimiter', `must be one of , ; | and ${TAB}`);
  }
  const chosen = CHOSEN_ENCODINGS.find((one) => one === encoding);
  if (encoding !== undefined && chosen === undefined) {
    throw AppError.invalidField('encoding', `must be one of ${CHOSEN_ENCODINGS.join(', ')}`);
  }
  return {
    name: typeof name === 'string' ? safeName(name) || undefined : undefined,
    delimiter: character as string | undefined,
    encoding: chosen,
  };
}

/**
 * Returns the bytes of the file in a request: its body, or the first file of a form. Throws `unsupported_media_type`. The
 * bytes throw `invalid_body` when the sender ends early.
 */
export async function readUpload(
  request: Request,
): Promise<{ name: string | undefined; bytes: AsyncIterable<Buffer> }> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'The file must not be compressed.');
  }
  const header = request.headers['content-type'] ?? 'text/csv';
  const type = header.split(';')[0]!.trim().toLowerCase();
  if (type === MULTIPART) return await firstFile(request, header);
  if (TYPES.includes(type)) return { name: undefined, bytes: bytesOf(request) };
  throw new AppError(
    'unsupported_media_type',
    `Content-Type must be text/csv, or ${MULTIPART} with a file.`,
  );
}

async function firstFile(
  request: Request,
  header: string,
): Promise<{ name: string | undefined; bytes: AsyncIterable<Buffer> }> {
  const { Busboy } = await import('@fastify/busboy');
  return await new Promise((resolve, reject) => {
    const fail = (): void => reject(new AppError('invalid_body', 'The form has no file.'));
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
    parser.on('file', (_field, stream, filename: string | undefined) => {
      // An error of the form must end the bytes too, or the upload would wait for them.
      parser.on('error', () => stream.destroy(new Error('The form is malformed.')));
      request.once('close', () => {
        if (!request.complete) stream.destroy(new Error('The connection was closed.'));
      });
      resolve({ name: safeName(filename ?? '') || undefined, bytes: bytesOf(stream) });
    });
    parser.on('error', fail);
    parser.on('finish', fail);
    request.once('close', fail);
    request.pipe(parser);
  });
}

async function* bytesOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    // Otherwise an error of a later stage would close the connection before the answer is sent.
    yield* stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw new AppError('invalid_body', 'The upload was interrupted. Send the file again.', {
      cause: error,
    });
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Busboy } from '@fastify/busboy';
import { AppError } from '../../../errors/app-error.js';
import { type Field, MAX_FIELDS, notUtf8, tooManyFields } from './fields.js';

const MAX_HEADER_BYTES = 8 * 1024;
const MAX_HEADERS = 20;
const PIECE_BYTES = 256 * 1024;
/** Turns of the event loop after the last piece. The parser needs one or two. */
const LAST_TURNS = 50;
const REPLACEMENT = '\ufffd';

/** A file. Its content is not kept. */
export interface FileField {
  filename: string | null;
  type: string;
  /** The size in bytes. */
  size: number;
}

/**
 * Parses a `multipart/form-data` body (RFC 7578). Throws `too_complex` for more than 1,000 parts, or headers of a part
 * with more than 20 lines or 8 KiB. Throws `invalid_body` if a part of the body would be lost.
 */
export async function parseMultipart(body: Buffer, boundary: string): Promise<Field[]> {
  const count = countParts(body, boundary);
  const fields = await readParts(body, boundary);
  if (fields.length !== count) throw malformed();
  // The parser replaces bytes that are not UTF-8 by U+FFFD. A body that contains U+FFFD itself is accepted, because its
  // sender may mean this character.
  const isReplaced = !body.includes(REPLACEMENT) && hasReplacement(fields);
  if (isReplaced) throw notUtf8();
  return fields;
}

/** Checks the limits before the parser gets the body, because the parser leaves out everything above its limits. */
function countParts(body: Buffer, boundary: string): number {
  const delimiter = `--${boundary}`;
  const line = `\r\n${delimiter}`;
  let start = body.toString('latin1', 0, delimiter.length) === delimiter ? delimiter.length : -1;
  if (start < 0) start = endOf(body, line, 0);
  for (let count = 0; start >= 0; start = endOf(body, line, start)) {
    if (body.toString('latin1', start, start + 2) === '--') return count;
    count += 1;
    if (count > MAX_FIELDS) throw tooManyFields();
    assertHeaders(body, start);
  }
  throw malformed();
}

/** Returns the position at which the next occurrence ends, or -1. */
function endOf(body: Buffer, text: string, from: number): number {
  const at = body.indexOf(text, from, 'latin1');
  return at < 0 ? -1 : at + text.length;
}

function assertHeaders(body: Buffer, start: number): void {
  const headers = body.toString('latin1', start, start + MAX_HEADER_BYTES);
  const end = headers.indexOf('\r\n\r\n');
  if (end < 0 && headers.length < MAX_HEADER_BYTES) throw malformed();
  if (end >= 0 && headers.slice(0, end).split('\r\n').length <= MAX_HEADERS + 1) return;
  const limits = `${MAX_HEADERS} lines or ${MAX_HEADER_BYTES} bytes`;
  throw new AppError('too_complex', `The headers of a part have more than ${limits}.`);
}

function readParts(body: Buffer, boundary: string): Promise<Field[]> {
  return new Promise((resolve, reject) => {
    const fields: Field[] = [];
    const parser = new Busboy({
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
      limits: { fieldSize: body.length, headerSize: MAX_HEADER_BYTES * 2 },
    });
    const add = (name: string | undefined, value: unknown): void => {
      if (name !== undefined) fields.push([name, value]);
    };
    parser.on('field', (name: string | undefined, value) => add(name, value));
    parser.on('file', (name: string | undefined, stream, filename: string | undefined, _, type) => {
      const file: FileField = { filename: filename ?? null, type, size: 0 };
      add(name, file);
      stream.on('data', (chunk: Buffer) => (file.size += chunk.length));
      stream.on('error', () => reject(malformed()));
    });
    parser.on('error', () => reject(malformed()));
    parser.on('finish', () => resolve(fields));
    void feed(parser, body)
      .then(() => reject(malformed()))
      .catch(reject);
  });
}

/**
 * Passes the body to the parser, and waits until the parser has finished. Between the pieces of a large body, other
 * requests are served. The parser never finishes some malformed bodies, for example when a part has no name. So this
 * function waits for a limited number of turns, in which the parser has read everything that it can read.
 */
async function feed(parser: InstanceType<typeof Busboy>, body: Buffer): Promise<void> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    if (at > 0) await nextTurn();
    parser.write(body.subarray(at, at + PIECE_BYTES));
  }
  parser.end();
  let isFinished = false;
  parser.once('finish', () => (isFinished = true));
  for (let turn = 0; turn < LAST_TURNS && !isFinished; turn += 1) await nextTurn();
}

function hasReplacement(fields: readonly Field[]): boolean {
  return fields.flat().some((text) => {
    const shown = typeof text === 'string' ? text : JSON.stringify(text);
    return shown.includes(REPLACEMENT);
  });
}

function malformed(): AppError {
  return new AppError('invalid_body', 'The body is not multipart/form-data, or not complete.');
}

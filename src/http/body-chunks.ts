import type { Request } from 'express';
import { AppError } from '../errors/app-error.js';
import { ArrivingBodies, type ArrivingBody } from './arriving-bodies.js';
import { clientAddress, networkOf } from './client-address.js';

/** The largest number of bytes of a body that are not counted. A connection may have as much in its buffers. */
const UNCOUNTED_BYTES = 64 * 1024;
/** The bodies that are arriving at this process. */
const arriving = new ArrivingBodies();

/** Ends the reading of a body, so that {@link receiveChunks} throws the error. Has no effect after the last byte. */
export type EndReading = (error: AppError) => void;

/** Takes a turn for the work with a body of this size, as `CallTurns` does. */
export type TakeTurn = (bytes: number) => Promise<void> | undefined;

/**
 * Receives the body of a request in chunks. Calls `check` with the number of bytes after each chunk, and throws its
 * errors. Throws `invalid_json` for an incomplete body, and `unavailable` for a slow body when the arriving bodies of the
 * process take too much memory.
 */
export async function receiveChunks(
  request: Request,
  check: (size: number, end: EndReading) => void,
): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  const stop: (() => void)[] = [];
  let counted: ArrivingBody | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      if (!request.readable) throw incompleteBody();
      let size = 0;
      const onData = (chunk: Buffer): void => {
        chunks.push(chunk);
        size += chunk.length;
        try {
          check(size, reject);
        } catch (error) {
          reject(error);
        }
        if (size <= UNCOUNTED_BYTES) return;
        counted ??= { network: networkOf(clientAddress(request)), end: reject };
        arriving.count(counted, size);
      };
      const onClose = (): void => reject(incompleteBody());
      request.on('data', onData).once('end', resolve).once('close', onClose);
      stop.push(() => request.off('data', onData).off('end', resolve).off('close', onClose));
    });
    return chunks;
  } finally {
    for (const action of stop) action();
    if (counted) arriving.remove(counted);
    // The rest of the body must be consumed, or the connection would wait forever.
    request.resume();
  }
}

/**
 * Returns the chunks as one body, in a turn of the work with bodies. Hundreds of bodies whose last bytes arrive together
 * would otherwise be copied without a pause.
 */
export async function joinChunks(chunks: readonly Buffer[], takeTurn?: TakeTurn): Promise<Buffer> {
  await takeTurn?.(chunks.reduce((bytes, chunk) => bytes + chunk.length, 0));
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** Returns the error for a body that ended before its last byte. */
function incompleteBody(): AppError {
  return new AppError('invalid_json', 'The body is incomplete. Send the whole body.');
}

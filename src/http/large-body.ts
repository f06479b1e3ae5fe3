import type { Request } from 'express';
import { AppError } from '../errors/app-error.js';
import { incompleteBody } from './request-body.js';

const CHECK_MS = 3000;
/**
 * The smallest number of bytes of a large body that must arrive between two checks. With fewer bytes, the largest body
 * would exceed the time limit of a body anyway.
 */
const FEWEST_BYTES = 512 * 1024;

/** Ends the reading of a body, so that {@link readLargeBody} throws the error. Has no effect after the last byte. */
export type EndReading = (error: AppError) => void;

/**
 * Reads a body with a Content-Length, which the caller has compared with its limit. Calls `beforeLarge` as soon as more
 * than `smallBytes` have arrived. Throws `unavailable` if the rest of the body arrives too slowly. Throws
 * `invalid_json` for an incomplete body. Throws the errors of `beforeLarge` too.
 */
export async function readLargeBody(
  request: Request,
  smallBytes: number,
  beforeLarge: (end: EndReading) => void,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let timer: NodeJS.Timeout | undefined;
  const stop: (() => void)[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      if (request.destroyed) throw incompleteBody();
      let size = 0;
      const onData = (chunk: Buffer): void => {
        chunks.push(chunk);
        size += chunk.length;
        if (timer !== undefined || size <= smallBytes) return;
        try {
          beforeLarge(reject);
          timer = checkSpeed(() => size, reject);
        } catch (error) {
          reject(error);
        }
      };
      const onClose = (): void => reject(incompleteBody());
      request.on('data', onData).once('end', resolve).once('close', onClose);
      stop.push(() => request.off('data', onData).off('end', resolve).off('close', onClose));
    });
    return Buffer.concat(chunks);
  } finally {
    clearInterval(timer);
    for (const action of stop) action();
    // The rest of the body must be consumed, or the connection would wait forever.
    request.resume();
  }
}

/** Calls `end` when a body arrives too slowly. */
function checkSpeed(sizeNow: () => number, end: EndReading): NodeJS.Timeout {
  let before = sizeNow();
  const check = (): void => {
    const size = sizeNow();
    if (size - before < FEWEST_BYTES) end(tooSlow());
    before = size;
  };
  // Bytes that arrived while this process was busy are read first.
  return setInterval(() => setImmediate(check), CHECK_MS).unref();
}

function tooSlow(): AppError {
  const message = `A large body must arrive with at least ${FEWEST_BYTES} bytes in ${CHECK_MS / 1000} s.`;
  return new AppError('unavailable', message, { retryAfterSeconds: 2 });
}

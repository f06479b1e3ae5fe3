import type { Request } from 'express';
import { AppError } from '../errors/app-error.js';
import { type EndReading, joinChunks, receiveChunks, type TakeTurn } from './body-chunks.js';

const CHECK_MS = 3000;
/**
 * The smallest number of bytes of a large body that must arrive between two checks. With fewer bytes, the largest body
 * would exceed the time limit of a body anyway.
 */
const FEWEST_BYTES = 512 * 1024;

/**
 * Reads a body with a Content-Length, which the caller has compared with its limit. Calls `beforeLarge` as soon as more
 * than `smallBytes` have arrived, and waits for `takeTurn` after the last byte. Throws `unavailable` if the rest of the
 * body arrives too slowly. Throws `invalid_json` for an incomplete body. Throws the errors of `beforeLarge` too.
 */
export async function readLargeBody(
  request: Request,
  smallBytes: number,
  beforeLarge: (end: EndReading) => void,
  takeTurn: TakeTurn,
): Promise<Buffer> {
  let sizeNow = 0;
  let timer: NodeJS.Timeout | undefined;
  let chunks: Buffer[];
  try {
    chunks = await receiveChunks(request, (size, end) => {
      sizeNow = size;
      if (timer !== undefined || size <= smallBytes) return;
      beforeLarge(end);
      timer = checkSpeed(() => sizeNow, end);
    });
  } finally {
    clearInterval(timer);
  }
  return await joinChunks(chunks, takeTurn);
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

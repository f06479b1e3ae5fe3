import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../errors/app-error.js';

const FREE_CHUNKS = 1000;
const MIN_CHUNK_BYTES = 32;

const signals = new WeakMap<IncomingMessage, AbortSignal>();

/**
 * Calls `refuse` when the body of a message comes in more than 1,000 chunks with an average of less than 32 bytes.
 * Ignores the rest of such a body. Node.js spends up to 10 µs on each chunk. So a body of 1 MB in chunks of one byte
 * would delay all other clients by seconds. Counts chunks as they arrive, because a stream joins the chunks that wait
 * for its reader.
 */
export function limitChunks(message: IncomingMessage, refuse: () => void): void {
  const push = message.push.bind(message);
  let chunks = 0;
  let bytes = 0;
  let isRefused = false;
  message.push = (chunk: Buffer | null): boolean => {
    if (chunk === null || isRefused) return !isRefused && push(chunk);
    chunks += 1;
    bytes += chunk.length;
    if (chunks <= FREE_CHUNKS + bytes / MIN_CHUNK_BYTES) return push(chunk);
    isRefused = true;
    refuse();
    return false;
  };
}

/**
 * Limits the chunks of a request, also when nobody reads its body. Too many small chunks end the connection after the
 * response, or immediately when the response has begun.
 */
export function limitRequestChunks(request: IncomingMessage, response: ServerResponse): void {
  const controller = new AbortController();
  signals.set(request, controller.signal);
  limitChunks(request, () => {
    if (response.headersSent) request.socket.destroy();
    else response.setHeader('Connection', 'close');
    controller.abort();
  });
  // Without this call, Node.js would discard a body that nobody has begun to read, and its chunks would not be counted.
  request.read(0);
  response.once('finish', () => {
    if (controller.signal.aborted) request.socket.destroy();
    else request.resume();
  });
}

/** Rejects with `too_complex` when the body of a request comes in too many small chunks. */
export async function tooManyChunks(request: IncomingMessage): Promise<never> {
  const signal = signals.get(request);
  await new Promise<void>((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener('abort', () => resolve(), { once: true });
  });
  throw new AppError(
    'too_complex',
    `The body comes in too many small chunks. Send chunks of at least ${MIN_CHUNK_BYTES} bytes.`,
  );
}

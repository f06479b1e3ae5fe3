import type { Response } from 'express';

/** Aborted when the connection closes before the whole answer was handed to it. */
export function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) gone.abort();
  });
  if (response.destroyed) gone.abort();
  return gone.signal;
}

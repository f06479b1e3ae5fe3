import type { Response } from 'express';
import { once } from 'node:events';
import { attachment } from '../files/file-name.js';
import { goneSignal } from '../http/signals.js';

/** Sends CSV as a download. It produces lines only as fast as the client reads them. */
export async function sendCsv(
  response: Response,
  name: string,
  lines: AsyncIterable<string>,
): Promise<void> {
  response
    .setHeader('Content-Type', 'text/csv; charset=utf-8')
    .setHeader('Content-Disposition', attachment(name))
    .setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
  const gone = goneSignal(response);
  if (response.req.method !== 'HEAD') {
    for await (const text of lines) {
      if (gone.aborted) return;
      if (!response.write(text)) {
        await once(response, 'drain', { signal: gone }).catch(() => undefined);
      }
    }
  }
  response.end();
}

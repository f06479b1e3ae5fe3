import type { Response } from 'express';
import { attachment } from '../files/file-name.js';
import { sendParts } from '../http/open-downloads.js';

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
  await sendParts(response, lines);
}

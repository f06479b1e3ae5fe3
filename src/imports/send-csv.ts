import type { Response } from 'express';
import { attachment } from '../files/file-name.js';
import { sendParts } from '../http/open-downloads.js';
import type { Caller } from '../keys/caller.guard.js';
import { signatureMask } from '../policies/hidden-signatures.js';

/**
 * Sends CSV as a download. Lines are produced only as fast as the client reads them. For a restricted key, the
 * signatures of links that it may not use are hidden.
 */
export async function sendCsv(
  response: Response,
  { restriction }: Caller,
  name: string,
  lines: AsyncIterable<string>,
): Promise<void> {
  response
    .setHeader('Content-Type', 'text/csv; charset=utf-8')
    .setHeader('Content-Disposition', attachment(name))
    .setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
  const mask = signatureMask(restriction);
  await sendParts(response, mask ? masked(lines, mask) : lines);
}

/** Yields the parts with hidden signatures. Each part has whole lines, so no signature is split between two parts. */
async function* masked(
  lines: AsyncIterable<string>,
  mask: (text: string) => string,
): AsyncGenerator<string> {
  for await (const part of lines) yield mask(part);
}

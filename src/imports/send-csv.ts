import type { Response } from 'express';
import { attachment } from '../files/file-name.js';
import { sendParts } from '../http/open-downloads.js';
import type { Caller } from '../keys/caller.guard.js';
import { mayActOnRuns } from '../policies/key-restriction.js';
import { hideResumeSignatures } from '../text/resume-signature.js';

/**
 * Sends CSV as a download. It produces lines only as fast as the client reads them. A caller that may not act on runs
 * gets resume URLs without their signatures.
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
  await sendParts(response, mayActOnRuns(restriction) ? lines : withoutSignatures(lines));
}

/** Hides the signatures of resume URLs. Each part has whole lines, so no signature is split between two parts. */
async function* withoutSignatures(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const part of lines) yield hideResumeSignatures(part);
}

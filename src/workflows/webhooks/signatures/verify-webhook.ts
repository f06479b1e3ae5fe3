import type { IncomingHttpHeaders } from 'node:http';
import { isSignatureValid } from './signature.js';
import {
  isStandardSignatureValid,
  isTimely,
  parseStandardHeaders,
  TOLERANCE_SECONDS,
} from './standard-signature.js';

/** How a webhook was signed: with `x-webhook-signature`, or as in Standard Webhooks. */
export type SignatureScheme = 'hex' | 'standard';

/**
 * Tells how the body was signed with one of the secrets, or undefined when it was not. `x-webhook-signature` counts
 * where it is there, unless the workflow sets a tolerance: it covers no time, so that only the headers of Standard
 * Webhooks can show that a delivery is not an old one.
 */
export function verifyWebhook(
  body: Uint8Array,
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
  now: Date,
  toleranceSeconds?: number,
): SignatureScheme | undefined {
  const given = headers['x-webhook-signature'];
  if (given !== undefined && toleranceSeconds === undefined) {
    return secrets.some((secret) => isSignatureValid(body, secret, given)) ? 'hex' : undefined;
  }
  const standard = parseStandardHeaders(headers);
  if (!standard || !isStandardSignatureValid(body, secrets, standard)) return undefined;
  const isInTime = isTimely(standard.timestamp, now, toleranceSeconds ?? TOLERANCE_SECONDS);
  return isInTime ? 'standard' : undefined;
}

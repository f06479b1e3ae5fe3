import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** How far the clocks of both sides may be apart where the workflow says nothing else. */
export const TOLERANCE_SECONDS = 300;

const ID = /^[\x21-\x7e]{1,255}$/;
const TIMESTAMP = /^[0-9]{1,12}$/;
// 32 bytes in base64. Checked before decoding: Node's decoder passes over what is not base64.
const SIGNATURE = /^v1,[A-Za-z0-9+/]{43}=$/;
const MOST_SIGNATURES = 16;
const PREFIX = 'whsec_';
const LEAST_KEY_BYTES = 16;

/** The headers of Standard Webhooks, all of them there and well-formed. */
export interface StandardHeaders {
  id: string;
  timestamp: string;
  /** Each 32 bytes. */
  signatures: readonly Buffer[];
}

export function parseStandardHeaders(headers: IncomingHttpHeaders): StandardHeaders | undefined {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const list = headers['webhook-signature'];
  if (typeof id !== 'string' || !ID.test(id)) return undefined;
  if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp)) return undefined;
  if (typeof list !== 'string') return undefined;
  // Several, while the sender changes its secret; those of other versions are for others.
  const signatures = list
    .split(' ', MOST_SIGNATURES)
    .filter((signature) => SIGNATURE.test(signature))
    .map((signature) => Buffer.from(signature.slice('v1,'.length), 'base64'));
  return { id, timestamp, signatures };
}

/**
 * True when one of the signatures is the HMAC-SHA256 of `id.timestamp.body` made with one of the secrets. Whether the
 * timestamp is near enough is not looked at.
 */
export function isStandardSignatureValid(
  body: Uint8Array,
  secrets: readonly string[],
  headers: StandardHeaders,
): boolean {
  const expected = secrets.map((secret) => standardMac(body, standardKey(secret), headers));
  return expected.some((mac) =>
    headers.signatures.some((signature) => timingSafeEqual(signature, mac)),
  );
}

/** Whether a timestamp is at most so many seconds away from `now`, before or after. */
export function isTimely(timestamp: string, now: Date, toleranceSeconds: number): boolean {
  return Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds;
}

/** The key that a secret stands for: what is behind `whsec_` is base64. Any other text is the key as it is. */
export function standardKey(secret: string): Buffer {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) ? Buffer.from(encoded, 'base64') : undefined;
  // A key that is nearly empty could be guessed, although the text is long enough.
  return key && key.length >= LEAST_KEY_BYTES ? key : Buffer.from(secret);
}

export function standardMac(
  body: Uint8Array,
  key: Buffer,
  { id, timestamp }: Pick<StandardHeaders, 'id' | 'timestamp'>,
): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
}

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The tolerance of timestamps, in seconds, unless the workflow sets one. */
export const TOLERANCE_SECONDS = 300;

const ID = /^[\x21-\x7e]{1,255}$/;
const TIMESTAMP = /^[0-9]{1,12}$/;
// Matches 32 bytes in base64, because Node's decoder ignores characters that are not base64.
const SIGNATURE = /^v1,[A-Za-z0-9+/]{43}=$/;
const MAX_SIGNATURES = 16;
const PREFIX = 'whsec_';
const MIN_KEY_BYTES = 16;

/** The scheme of a signature: `hex` is `x-webhook-signature`, `standard` means the headers of Standard Webhooks. */
export type SignatureScheme = 'hex' | 'standard';

/**
 * Returns the scheme by which the body was signed with one of the secrets, or undefined when no signature is valid.
 * When present, `x-webhook-signature` decides, unless the workflow sets a tolerance. The signature in
 * `x-webhook-signature` covers no timestamp, so a recorded delivery could be replayed forever.
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

/** Returns true when `header` is the hexadecimal HMAC-SHA256 (RFC 2104) of these bytes, and occurs once. */
export function isSignatureValid(
  body: Uint8Array,
  secret: string,
  header: string | string[] | undefined,
): boolean {
  // The form is checked first, because Node's decoder silently stops at the first character that is not hexadecimal.
  if (typeof header !== 'string' || !/^[0-9a-fA-F]{64}$/.test(header)) return false;
  const expected = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(Buffer.from(header, 'hex'), expected);
}

/** The parsed headers of Standard Webhooks. Their form is valid. */
interface StandardHeaders {
  id: string;
  timestamp: string;
  /** The signatures, each of 32 bytes. */
  signatures: readonly Buffer[];
}

function parseStandardHeaders(headers: IncomingHttpHeaders): StandardHeaders | undefined {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const list = headers['webhook-signature'];
  if (typeof id !== 'string' || !ID.test(id)) return undefined;
  if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp)) return undefined;
  if (typeof list !== 'string') return undefined;
  // A sender that rotates its secret sends several signatures. Signatures of other versions are ignored.
  const signatures = list
    .split(' ', MAX_SIGNATURES)
    .filter((signature) => SIGNATURE.test(signature))
    .map((signature) => Buffer.from(signature.slice('v1,'.length), 'base64'));
  return { id, timestamp, signatures };
}

/** Returns true when one of the signatures is the HMAC-SHA256 of `id.timestamp.body` with one of the secrets. */
function isStandardSignatureValid(
  body: Uint8Array,
  secrets: readonly string[],
  { id, timestamp, signatures }: StandardHeaders,
): boolean {
  return secrets.some((secret) => {
    const hmac = createHmac('sha256', standardKey(secret));
    const mac = hmac.update(`${id}.${timestamp}.`).update(body).digest();
    return signatures.some((signature) => timingSafeEqual(signature, mac));
  });
}

/** Returns true when the timestamp is at most `toleranceSeconds` before or after `now`. */
export function isTimely(timestamp: string, now: Date, toleranceSeconds: number): boolean {
  return Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds;
}

/** Returns the key of a secret: the base64 after `whsec_`, or the whole text in UTF-8. */
export function standardKey(secret: string): Buffer {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) ? Buffer.from(encoded, 'base64') : undefined;
  // A shorter key could be guessed, even if the text of the secret is long enough.
  return key && key.length >= MIN_KEY_BYTES ? key : Buffer.from(secret);
}

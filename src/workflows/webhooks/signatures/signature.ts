import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * True when `header` is the hexadecimal HMAC-SHA256 (RFC 2104) of exactly these bytes. A header that is missing, sent
 * more than once or not 64 hexadecimal digits is as wrong as a false one.
 */
export function isSignatureValid(
  body: Uint8Array,
  secret: string,
  header: string | string[] | undefined,
): boolean {
  // Checked before decoding: Node's decoder stops silently at the first character that is not hexadecimal.
  if (typeof header !== 'string' || !/^[0-9a-fA-F]{64}$/.test(header)) return false;
  const expected = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(Buffer.from(header, 'hex'), expected);
}

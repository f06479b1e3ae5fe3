const SPACE = 0x20;
const PLUS = 0x2b;
const PERCENT = 0x25;
const HEX = Buffer.from('0123456789ABCDEF');
/** Is 1 for each byte that forms do not escape. */
const UNESCAPED = new Uint8Array(256);
for (const byte of Buffer.from(
  '*-._0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
)) {
  UNESCAPED[byte] = 1;
}

/**
 * Encodes fields as application/x-www-form-urlencoded, with the same bytes as `URLSearchParams`. For 1.5 MB outside of
 * ASCII, `URLSearchParams` takes 0.4 s of processor time, and this function takes less than 0.1 s.
 */
export function encodeForm(fields: Iterable<readonly [name: string, value: string]>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of fields) {
    parts.push(Buffer.from(parts.length === 0 ? '' : '&'), encode(name));
    parts.push(Buffer.from('='), encode(value));
  }
  return Buffer.concat(parts);
}

function encode(text: string): Buffer {
  const bytes = Buffer.from(text);
  const encoded = Buffer.allocUnsafe(bytes.length * 3);
  let end = 0;
  // A loop with an index takes half as long as a loop with `for … of`.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (UNESCAPED[byte] === 1) encoded[end++] = byte;
    else if (byte === SPACE) encoded[end++] = PLUS;
    else {
      encoded[end++] = PERCENT;
      encoded[end++] = HEX[byte >> 4]!;
      encoded[end++] = HEX[byte & 15]!;
    }
  }
  return encoded.subarray(0, end);
}

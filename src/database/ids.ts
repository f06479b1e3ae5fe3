import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random base62 text from the system's random source, each character equally likely (about 5.95 bits each). */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length + 8)) {
      // 248 is the largest multiple of 62 below 256; keeping the rest would favour the first characters.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** A new opaque id such as `con_4Yk…`: 131 random bits behind a prefix that tells people what it names. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBase62(22)}`;
}

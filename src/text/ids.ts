import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Asked for in stock: the way to the system takes longer than all the rest of an id. */
const stock = Buffer.alloc(4096);
let taken = stock.length;

/** Random base62 text from the system's random source, each character equally likely (about 5.95 bits each). */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    // 248 is the largest multiple of 62 below 256; keeping the rest would favour the first characters.
    if (byte < 248) text += ALPHABET[byte % 62];
  }
  return text;
}

function randomByte(): number {
  if (taken === stock.length) {
    randomFillSync(stock);
    taken = 0;
  }
  const byte = stock[taken]!;
  // Keys and secrets are made of them, and must not stay behind.
  stock[taken] = 0;
  taken += 1;
  return byte;
}

/** A new opaque id such as `con_4Yk…`: 131 random bits behind a prefix that tells people what it names. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBase62(22)}`;
}

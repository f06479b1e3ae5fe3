import { randomInt } from 'node:crypto';

/** The digits of base62 in order of value. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns cryptographically random base62 text. Every character is equally likely (about 5.95 bits each). */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) text += BASE62[randomInt(BASE62.length)]!;
  return text;
}

/** Returns a new opaque id such as `con_4Yk…`: a prefix that names the kind of object, and 131 random bits. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBase62(22)}`;
}

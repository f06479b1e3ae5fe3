import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { BASE62, randomBase62 } from '../text/ids.js';

const PREFIX = 'swb_';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const FORMAT = /^swb_[0-9A-Za-z]{38}$/;

/** Returns a new raw key: `swb_`, 32 random base62 characters (190 bits), and the CRC-32 of both in base62. */
export function newApiKey(): string {
  const body = PREFIX + randomBase62(SECRET_LENGTH);
  return body + checksum(body);
}

/** Returns true when the text has the format and the checksum of a key. Refuses typing errors without a database query. */
export function isApiKey(text: string): boolean {
  if (!FORMAT.test(text)) return false;
  const body = text.slice(0, PREFIX.length + SECRET_LENGTH);
  return text.slice(body.length) === checksum(body);
}

/** Returns the hash that is stored. SHA-256 without a salt is enough, because nobody can try 2^190 secrets. */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  while (text.length < CHECKSUM_LENGTH) {
    text = BASE62[rest % 62]! + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

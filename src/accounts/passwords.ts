import { hash, verify } from '@node-rs/argon2';
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { BoundedQueue } from './bounded-queue.js';

// The OWASP Password Storage Cheat Sheet asks for argon2id with at least m=19 MiB, t=2, p=1. The algorithm (argon2id)
// and its version (0x13) are the defaults of the library.
const COSTS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// Each hash takes 19 MiB and a core. It also occupies one of the four threads of Node.js that read files and resolve
// names.
const queue = new BoundedQueue(Math.min(availableParallelism(), 3), 100);

/** The longest password, in bytes. A longer password would cost the server more work than the caller. */
export const MAX_PASSWORD_BYTES = 1024;

/**
 * Returns the hash of a password. Throws `unavailable` when too many passwords are waiting to be hashed or checked, as
 * {@link verifyPassword} does.
 */
export async function hashPassword(password: string): Promise<string> {
  return await queue.run(() => hash(password, COSTS));
}

/**
 * Returns true for the right password. Without a stored hash it returns false after the same time, so that timing does
 * not reveal whether an account exists.
 */
export async function verifyPassword(
  storedHash: string | undefined,
  password: string,
): Promise<boolean> {
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return false;
  const compared = storedHash ?? (await dummyHash());
  const isRight = await queue.run(() => verify(compared, password));
  return isRight && storedHash !== undefined;
}

/** Returns a text that changes with the password. Because of the salt of the hash, the text reveals no password. */
export function tagOf(storedHash: string): string {
  return createHash('sha256').update(storedHash).digest('base64url').slice(0, 22);
}

let dummy: Promise<string> | undefined;

function dummyHash(): Promise<string> {
  dummy ??= hashPassword('a password that nobody has').catch((error: unknown) => {
    dummy = undefined;
    throw error;
  });
  return dummy;
}

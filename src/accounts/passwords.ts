import { hash, verify } from '@node-rs/argon2';

// The OWASP Password Storage Cheat Sheet asks for argon2id with at least m=19 MiB, t=2, p=1. The algorithm (argon2id)
// and its version (0x13) are the defaults of the library.
const COSTS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Limits passwords, because hashing a longer one would cost the server more than the caller. */
export const MAX_PASSWORD_BYTES = 1024;

export async function hashPassword(password: string): Promise<string> {
  return await hash(password, COSTS);
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
  if (storedHash === undefined) {
    await verify(await dummyHash(), password);
    return false;
  }
  return await verify(storedHash, password);
}

let dummy: Promise<string> | undefined;

function dummyHash(): Promise<string> {
  dummy ??= hashPassword('a password that nobody has');
  return dummy;
}

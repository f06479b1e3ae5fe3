import { hash, verify } from '@node-rs/argon2';

// OWASP Password Storage Cheat Sheet: argon2id with m=19 MiB, t=2, p=1 at least. These are the library's algorithm
// and version defaults (argon2id, 0x13) with the costs spelled out.
const COSTS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A longer password is refused, because hashing it would cost the server more than the caller. */
export const MAX_PASSWORD_BYTES = 1024;

export async function hashPassword(password: string): Promise<string> {
  return await hash(password, COSTS);
}

/** False for a wrong password; takes as long when there is no account, so that time does not tell which it was. */
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

import { createRequire } from 'node:module';
import type { hash as Hash, verify as Verify } from '@node-rs/argon2';

// The configuration of Vitest resolves `@node-rs/argon2` to this file, so an import would load this file again.
const real = createRequire(import.meta.url)('@node-rs/argon2') as {
  hash: typeof Hash;
  verify: typeof Verify;
};

const LOWEST_COSTS = { memoryCost: 8, timeCost: 1, parallelism: 1 };

let hasRealCosts = false;

/**
 * Lets `hash` use the costs that its caller gives. Otherwise `hash` uses the lowest costs, which saves 20 ms per
 * sign-up.
 */
export function useRealCosts(isOn: boolean): void {
  hasRealCosts = isOn;
}

let running = 0;
let mostRunning = 0;

/**
 * Starts to count how many passwords are hashed or checked at the same time. `mostAtOnce` returns the largest number
 * since then.
 */
export function countHashing(): { mostAtOnce: () => number } {
  mostRunning = running;
  return { mostAtOnce: () => mostRunning };
}

async function counted<T>(work: Promise<T>): Promise<T> {
  running += 1;
  mostRunning = Math.max(mostRunning, running);
  try {
    return await work;
  } finally {
    running -= 1;
  }
}

export const hash: typeof Hash = (password, options, signal) =>
  counted(real.hash(password, { ...options, ...(!hasRealCosts && LOWEST_COSTS) }, signal));

export const verify: typeof Verify = (hashed, password, options, signal) =>
  counted(real.verify(hashed, password, options, signal));

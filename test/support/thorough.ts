import { describe, it } from 'vitest';

/**
 * True in `npm run test:slow`. Tests with rounds then run more rounds on both drivers of the wake-ups, and wait for
 * leases to end by the clock.
 */
export const IS_THOROUGH = process.env.TEST_THOROUGH === 'true';

/** True in `npm run test:slow`. Set TEST_SLOW=true to run a single file as `npm run test:slow` runs it. */
export const IS_SLOW = process.env.TEST_SLOW === 'true';

/** Returns all cases in `npm run test:slow`. Otherwise, returns the first case and every nth case after it. */
export function sample<T>(cases: readonly T[], nth: number): T[] {
  return cases.filter((_, index) => IS_SLOW || index % nth === 0);
}

/**
 * Returns all cases, or the cases of the part that TEST_PART names, such as `1/48`. `.ci/run` tests one part in turn.
 */
export function inTurn<T>(cases: readonly T[]): T[] {
  const [part, parts] = (process.env.TEST_PART ?? '1/1').split('/').map(Number) as [number, number];
  return cases.filter((_, index) => index % parts === part - 1);
}

/**
 * Declares a test as `it` does, but only in `npm run test:slow`: the test waits long or repeats much, and other tests
 * check the same behaviour in `npm test`.
 */
export const itSlow = (IS_SLOW ? it : declareNothing()) as typeof it;

/** Declares tests as `describe` does, but only in `npm run test:slow`, like {@link itSlow}. */
export const describeSlow = (IS_SLOW ? describe : declareNothing()) as typeof describe;

function declareNothing(): unknown {
  return Object.assign(() => undefined, { each: () => () => undefined });
}

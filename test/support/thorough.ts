/**
 * It is true in `npm run test:slow`. Tests with rounds then run more of them, on both drivers of the wake-ups, and wait for
 * leases to end by the clock.
 */
export const IS_THOROUGH = process.env.TEST_THOROUGH === 'true';

/** Returns all cases in thorough tests, and else the first and every nth after it. */
export function sample<T>(cases: readonly T[], nth: number): T[] {
  return cases.filter((_, index) => IS_THOROUGH || index % nth === 0);
}

/** Returns all cases, or those of the third that TEST_THIRD names (0 to 2). `.ci/run` tests one third in turn. */
export function inTurn<T>(cases: readonly T[]): T[] {
  const third = process.env.TEST_THIRD;
  return cases.filter((_, index) => third === undefined || index % 3 === Number(third));
}

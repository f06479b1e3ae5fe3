/**
 * It is true in `npm run test:slow`. Tests with rounds then run more of them, on both drivers of the wake-ups, and wait for
 * leases to end by the clock.
 */
export const IS_THOROUGH = process.env.TEST_THOROUGH === 'true';

/** Returns all cases in thorough tests, and else the first and every nth after it. */
export function sample<T>(cases: readonly T[], nth: number): T[] {
  return cases.filter((_, index) => IS_THOROUGH || index % nth === 0);
}

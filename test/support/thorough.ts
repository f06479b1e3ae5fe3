/**
 * True in `npm run test:slow`. Tests with rounds then run more of them, on both drivers of the wake-ups, and wait for
 * leases to end by the clock.
 */
export const IS_THOROUGH = process.env.TEST_THOROUGH === 'true';

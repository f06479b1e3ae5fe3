import { afterAll, beforeAll, describe } from 'vitest';
import { ProbeTools } from '../workflows/support/probe.tools.js';

/**
 * The way by which workers receive wake-ups. Tests on Bull need a Redis, and vitest.config.ts warns when there is none.
 */
type Driver = 'PostgreSQL' | 'Bull';

const DRIVERS: Driver[] = process.env.TEST_REDIS_URL ? ['PostgreSQL', 'Bull'] : ['PostgreSQL'];
const DEFAULT: Driver = process.env.SWITCHBOARD_TEST_DRIVER === 'bull' ? 'Bull' : 'PostgreSQL';

let driver = DEFAULT;

/**
 * Describes tests with wake-ups through PostgreSQL and again through Bull. In the tests, `startSwitchboard` uses the
 * current driver. With `describeSlow`, tests on Bull run only in `npm run test:slow`: test/queue/wake-ups shows that
 * Bull wakes workers.
 */
export function describeOnEachDriver(
  title: string,
  describeOnBull: typeof describe,
  tests: () => void,
): void {
  for (const name of DRIVERS) {
    const declare = name === 'Bull' ? describeOnBull : describe;
    declare(`${title}, with wake-ups through ${name},`, () => {
      beforeAll(() => {
        driver = name;
        // Removes the recorded calls of the tests on the other driver.
        ProbeTools.reset();
      });
      afterAll(() => {
        driver = DEFAULT;
      });
      tests();
    });
  }
}

/** Returns the settings of the driver that the current tests use. */
export function driverSettings(): Record<string, string> {
  return driver === 'Bull' ? { REDIS_URL: process.env.TEST_REDIS_URL! } : {};
}

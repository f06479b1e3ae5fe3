import { defineConfig } from 'vitest/config';
import {
  DETAIL_SPECS,
  DRIVER_SPECS,
  DRIVERLESS_SPECS,
  findThoroughSpecs,
  SLOW_SPECS,
} from './test/support/spec-lists.js';
import { common, e2e, hasRedis } from './vitest.config.js';

/**
 * Runs the tests that `npm run test:slow` adds to `npm test`: tests with more rounds and rows, and the remaining tests
 * of workers with Bull as the queue.
 */
export default defineConfig({
  test: {
    ...common,
    projects: [
      {
        test: {
          ...e2e,
          // Some of these tests measure the memory of the service in its usual state.
          execArgv: [],
          name: 'thorough',
          include: [...findThoroughSpecs(), ...DETAIL_SPECS, ...SLOW_SPECS],
          env: { TEST_SLOW: 'true', TEST_THOROUGH: 'true' },
          testTimeout: 1_200_000,
        },
      },
      ...(hasRedis
        ? [
            {
              test: {
                ...e2e,
                name: 'rest on bull',
                env: { SWITCHBOARD_TEST_DRIVER: 'bull', TEST_SLOW: 'true' },
                include: ['test/workflows/**/*.e2e-spec.ts', 'test/messaging/**/*.e2e-spec.ts'],
                exclude: [...DRIVER_SPECS, ...DRIVERLESS_SPECS, ...SLOW_SPECS],
              },
            },
          ]
        : []),
    ],
  },
});

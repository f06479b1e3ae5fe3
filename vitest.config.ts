import { defineConfig } from 'vitest/config';
import { DRIVER_SPECS, THOROUGH_SPECS } from './test/support/spec-lists.js';
import { findRedisServer } from './test/support/redis.js';

const hasRedis = Boolean(process.env.REDIS_URL) || findRedisServer() !== undefined;
if (!hasRedis) {
  console.warn(
    '\n*** Neither REDIS_URL nor a redis-server on the PATH: NOTHING IS TESTED ON BULL. ***\n' +
      '*** Install redis-server, or set REDIS_URL, to run the whole suite.              ***\n',
  );
}

// The limit only ends tests that hang. On a busy machine every test may take long.
const testTimeout = 60_000;

// Test files of one worker share the modules of the application, which take about 2 s to load.
const isolate = false;

const e2e = {
  isolate,
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/setup.ts'],
  testTimeout,
  hookTimeout: 120_000,
};
const bull = { SWITCHBOARD_TEST_DRIVER: 'bull' };

export default defineConfig({
  test: {
    // More workers than cores: most tests wait for a server or for a timer.
    maxWorkers: 3,
    reporters: ['default', './test/support/summary-reporter.ts'],
    projects: [
      { test: { name: 'unit', include: ['src/**/*.spec.ts'], isolate, testTimeout } },
      {
        test: {
          name: 'e2e',
          include: ['test/**/*.e2e-spec.ts'],
          exclude: ['test/conformance/**'],
          ...e2e,
        },
      },
      {
        test: {
          name: 'slow',
          include: ['test/**/*.slow-spec.ts', ...THOROUGH_SPECS],
          env: { TEST_THOROUGH: 'true' },
          ...e2e,
          testTimeout: 300_000,
        },
      },
      ...(hasRedis
        ? [
            { test: { name: 'bull', include: DRIVER_SPECS, env: bull, ...e2e } },
            {
              test: {
                name: 'slow-bull',
                include: ['test/workflows/**/*.e2e-spec.ts', 'test/messaging/**/*.e2e-spec.ts'],
                exclude: DRIVER_SPECS,
                env: bull,
                ...e2e,
              },
            },
          ]
        : []),
    ],
  },
});

import { defineConfig } from 'vitest/config';
import { findRedisServer } from './test/support/redis.js';

const hasRedis = Boolean(process.env.REDIS_URL) || findRedisServer() !== undefined;
if (!hasRedis) {
  console.warn(
    '\n*** Neither REDIS_URL nor a redis-server on the PATH: NOTHING IS TESTED ON BULL. ***\n' +
      '*** Install redis-server, or set REDIS_URL, to run the whole suite.              ***\n',
  );
}

// How long a test may take says nothing about the code: two busy cores make any of them slow.
const testTimeout = 30_000;

const e2e = {
  globalSetup: ['test/support/global-setup.ts'],
  testTimeout,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    // Vitest leaves a core to itself; the tests wait for servers more than they compute.
    maxWorkers: '100%',
    reporters: ['default', './test/support/summary-reporter.ts'],
    projects: [
      { test: { name: 'unit', include: ['src/**/*.spec.ts'], testTimeout } },
      {
        test: {
          name: 'e2e',
          include: ['test/**/*.e2e-spec.ts'],
          exclude: ['test/conformance/**'],
          ...e2e,
        },
      },
      // What workers do is promised with both drivers of the wake-ups, so it is shown with both.
      ...(hasRedis
        ? [
            {
              test: {
                name: 'e2e on Bull',
                include: ['test/workflows/**/*.e2e-spec.ts', 'test/messaging/**/*.e2e-spec.ts'],
                env: { SWITCHBOARD_TEST_DRIVER: 'bull' },
                ...e2e,
              },
            },
          ]
        : []),
    ],
  },
});

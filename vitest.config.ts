import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import {
  DETAIL_SPECS,
  PROCESS_SPECS,
  SERVICE_SPECS,
  SLOW_SPECS,
} from './test/support/spec-lists.js';
import { findChromium } from './test/browser/support/chromium.js';
import { findPgBouncer, findRedisServer } from './test/support/find-program.js';

export const hasRedis = Boolean(process.env.REDIS_URL) || findRedisServer() !== undefined;
if (!hasRedis) {
  console.warn(
    '\n*** Neither REDIS_URL nor a redis-server on the PATH: NOTHING IS TESTED ON BULL. ***\n' +
      '*** Install redis-server, or set REDIS_URL, to run the whole suite.              ***\n',
  );
}

if (findPgBouncer() === undefined) {
  console.warn(
    '\n*** No pgbouncer on the PATH or in /usr/sbin: NOTHING IS TESTED BEHIND PGBOUNCER. ***\n' +
      '*** To run these tests, install it: apt-get install pgbouncer                     ***\n',
  );
}

export const hasChromium = findChromium() !== undefined;
if (!hasChromium) {
  console.warn(
    '\n*** No Chromium on the PATH and no CHROMIUM_PATH: THE DASHBOARD IS NOT TESTED IN A BROWSER. ***\n' +
      '*** To run these tests, install it: apt-get install chromium                               ***\n',
  );
}

/** The browser tests have packages of their own, which `npm ci` does not install. */
const hasBrowserPackages = existsSync(resolve(import.meta.dirname, 'test/browser/node_modules'));
if (hasChromium && !hasBrowserPackages) {
  console.warn(
    '\n*** The packages of the browser tests are missing: THE DASHBOARD IS NOT TESTED IN A BROWSER. ***\n' +
      '*** To install them and run these tests: npm run test:browser                              ***\n',
  );
}

// With TEST_SLOW=true, single files of `npm run test:slow` can be run by their names.
const notNow = process.env.TEST_SLOW === 'true' ? [] : [...DETAIL_SPECS, ...SLOW_SPECS];

export const common = {
  // Each worker compiles the service again and has a Switchboard that polls. On two cores, five workers took 1.4 times
  // the processor time of two workers, and ended later. Tests that wait for timers run at the same time, with
  // `describe.concurrent`.
  maxWorkers: Math.max(2, availableParallelism()),
  reporters: ['default', './test/support/summary-reporter.ts'],
  // Later runs read the transformed modules from `node_modules`. Without this cache, each run would spend 4 s on
  // transforming them.
  experimental: { fsModuleCache: true },
};

// Test files of one worker share the modules of the application, which take about 2 s to load.
const isolate = false;
// With the default of 16 MB, the garbage collection of new objects takes 7 % of the processor time.
const execArgv = ['--max-semi-space-size=64'];
// These limits exist only to stop tests that hang. On a busy machine every test may take long.
const testTimeout = 120_000;
const expect = { poll: { timeout: 100_000 } };

export const e2e = {
  isolate,
  execArgv,
  alias: { '@node-rs/argon2': resolve(import.meta.dirname, 'test/support/argon2.ts') },
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/setup.ts'],
  expect,
  testTimeout,
  hookTimeout: 240_000,
};

export default defineConfig({
  test: {
    ...common,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.spec.ts', 'web/**/*.spec.{ts,tsx}'],
          exclude: [...PROCESS_SPECS, ...SERVICE_SPECS, ...notNow],
          isolate,
          execArgv,
          expect,
          testTimeout,
        },
      },
      { test: { name: 'process', include: PROCESS_SPECS, testTimeout } },
      {
        test: {
          ...e2e,
          name: 'e2e',
          include: [
            'test/**/*.e2e-spec.ts',
            ...SERVICE_SPECS,
            ...(hasChromium && hasBrowserPackages ? ['test/browser/smoke.browser-spec.ts'] : []),
          ],
          exclude: ['test/conformance/**', ...notNow],
        },
      },
    ],
  },
});

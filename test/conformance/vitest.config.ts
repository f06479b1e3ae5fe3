import { defineConfig } from 'vitest/config';

/** Runs tests that need packages which `npm ci` does not install: `npm run test:inspector`. */
export default defineConfig({
  test: {
    reporters: ['default', './test/support/summary-reporter.ts'],
    include: ['test/conformance/*.e2e-spec.ts'],
    globalSetup: ['test/conformance/install-suite.mjs', 'test/support/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

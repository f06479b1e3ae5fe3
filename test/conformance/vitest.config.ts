import { defineConfig } from 'vitest/config';

/** `npm run test:inspector`: tests with packages that `npm ci` does not install. */
export default defineConfig({
  test: {
    reporters: ['default', './test/support/summary-reporter.ts'],
    include: ['test/conformance/*.e2e-spec.ts'],
    globalSetup: ['test/conformance/install-suite.mjs', 'test/support/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

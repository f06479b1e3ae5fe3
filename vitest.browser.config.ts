import { defineConfig } from 'vitest/config';
import { common, e2e, hasChromium } from './vitest.config.js';

/** Tests of the built dashboard in a real browser: `npm run test:browser`. */
export default defineConfig({
  test: {
    ...common,
    ...e2e,
    // Each worker has a browser, and one browser occupies one core.
    maxWorkers: 2,
    name: 'browser',
    include: hasChromium ? ['test/browser/**/*.browser-spec.ts'] : [],
    passWithNoTests: !hasChromium,
  },
});

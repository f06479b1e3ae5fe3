import { defineConfig } from 'vitest/config';
import { findChromium } from './test/browser/support/chromium.js';
import { common, e2e } from './vitest.config.js';

const hasChromium = findChromium() !== undefined;
if (!hasChromium) {
  console.warn(
    '\n*** No Chromium on the PATH and no CHROMIUM_PATH: NO PAGE OF THE DASHBOARD IS TESTED. ***\n' +
      '*** Install it to run these tests: apt-get install chromium                           ***\n',
  );
}

/** Tests of the built dashboard in a real browser: `npm run test:browser`. */
export default defineConfig({
  test: {
    ...common,
    ...e2e,
    // Each worker has a browser, which uses a core by itself.
    maxWorkers: 2,
    name: 'browser',
    include: hasChromium ? ['test/browser/**/*.browser-spec.ts'] : [],
    passWithNoTests: !hasChromium,
  },
});

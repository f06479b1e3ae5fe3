import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPEN_PAGES, PAGES } from './pages.js';
import { findViolations } from './support/axe.js';
import { type Dashboard, startDashboard } from './support/dashboard.js';

const VIEWS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [360, 1280].map((width) => ({ colorScheme, width })),
);

describe('every page', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.close());

  describe.each(VIEWS)('in the $colorScheme theme at $width px', ({ colorScheme, width }) => {
    it.each([...OPEN_PAGES, ...PAGES])('%s', async (path) => {
      const { page, faults } = await dashboard.open(path, {
        colorScheme,
        viewport: { width, height: 800 },
        isSignedIn: !OPEN_PAGES.includes(path),
      });
      await page.locator('h1').first().waitFor();
      // The stream of changes stays open, so the network is never idle.
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      expect(faults).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        width,
      );
      expect(await findViolations(page)).toEqual([]);
      await page.context().close();
    });
  });
});

import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTurn } from '../support/thorough.js';
import { OPEN_PAGES, PAGES } from './pages.js';
import { findContrastViolations, findViolations } from './support/axe.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

const NARROW = { width: 360, height: 800 };
const WIDE = { width: 1280, height: 800 };
/**
 * Each width is checked with all rules in one theme. The other theme differs only in colours, so only contrast is
 * checked.
 */
const VIEWS = [
  { colorScheme: 'light', size: WIDE, find: findViolations },
  { colorScheme: 'light', size: NARROW, find: findContrastViolations },
  { colorScheme: 'dark', size: NARROW, find: findViolations },
  { colorScheme: 'dark', size: WIDE, find: findContrastViolations },
] as const;

describe('no page has an accessibility violation, in either theme, at 360 or 1,280 px', () => {
  let dashboard: Dashboard;
  // Pages of one profile share their cache, so only the first page loads the code.
  const profiles = new Map<boolean, BrowserContext>();

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it.each(inTurn([...OPEN_PAGES, ...PAGES]))('%s', async (path) => {
    const isSignedIn = !OPEN_PAGES.includes(path);
    const { page, faults } = await dashboard.open(path, {
      isSignedIn,
      colorScheme: 'light',
      viewport: WIDE,
      context: profiles.get(isSignedIn),
    });
    profiles.set(isSignedIn, page.context());
    let theme: string = 'light';
    for (const { colorScheme, size, find } of VIEWS) {
      await page.setViewportSize(size);
      if (colorScheme !== theme) {
        await page.emulateMedia({ colorScheme });
        // Without the reload, some elements still have the colours of the other theme.
        await page.reload();
        theme = colorScheme;
      }
      await page.locator('h1').first().waitFor();
      // The stream of changes stays open, so the network is never idle.
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      const view = `${colorScheme}, ${size.width} px`;
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width, view).toBeLessThanOrEqual(size.width);
      expect(await find(page), view).toEqual([]);
    }
    expect(faults).toEqual([]);
    await page.close();
  });
});

import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, type OpenPage, startDashboard } from './support/dashboard.js';

describe('Settings → Account', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.close());

  /** Signs in with another browser, and opens the account page there. */
  const signIn = async (userAgent: string): Promise<OpenPage & { context: BrowserContext }> => {
    const { email, password } = dashboard.organization;
    const opened = await dashboard.open('/sign-in?to=/settings/account', {
      isSignedIn: false,
      userAgent,
    });
    await opened.page.getByLabel('E-mail address').fill(email);
    await opened.page.getByLabel('Password').fill(password);
    await opened.page.keyboard.press('Enter');
    await opened.page.getByRole('heading', { name: 'Sessions' }).waitFor();
    return { ...opened, context: opened.page.context() };
  };

  it('lists the sessions of the person, and ends a session, so that its pages ask for a sign-in', async () => {
    const other = await signIn('Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0');
    const { page, faults } = await dashboard.open('/settings/account');
    const row = page.getByRole('row').filter({ hasText: 'Firefox on Linux' });
    await row.getByText('127.0.0.1').waitFor();
    await page.getByRole('row').filter({ hasText: 'This one' }).waitFor();
    await row.getByRole('button', { name: 'End the session of Firefox' }).click();
    await row.waitFor({ state: 'detached' });
    await other.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    expect(faults).toEqual([]);
    await other.context.close();
  });

  it('saves the name of the person, which the menu then shows', async () => {
    const { page } = await dashboard.open('/settings/account');
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.keyboard.press('Enter');
    await page.getByText('Your name was saved.').first().waitFor();
    await page
      .getByRole('button', { name: /^Account/ })
      .getByText('Ada Lovelace')
      .waitFor();
  });

  it('changes the password by keyboard, keeps the typed text after a fault, and ends all other sessions', async () => {
    const other = await signIn('Other/1');
    const { page, faults } = await dashboard.open('/settings/account');
    const present = page.getByLabel('Current password');
    await present.fill('not the password');
    await page.keyboard.press('Tab');
    await page.keyboard.type('a whole new password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'not your current password' }).waitFor();
    expect(await page.getByLabel('New password').inputValue()).toBe('a whole new password');
    await present.fill(dashboard.organization.password);
    await page.keyboard.press('Enter');
    await page.getByText('The password was changed').first().waitFor();
    expect(await present.inputValue()).toBe('');
    await other.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Other/1' }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });
});

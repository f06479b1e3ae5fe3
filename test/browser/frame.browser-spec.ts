import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

describe('the frame', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('goes to every page from the command menu, by keyboard', async () => {
    const { page } = await dashboard.open('/');
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('deve');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Developer' }).waitFor();
    await page.locator('h1:focus').waitFor();
  });

  it('opens the menu of the account with the first press, by keyboard, and gives the focus back', async () => {
    const { page } = await dashboard.open('/');
    const button = page.getByRole('button', { name: /^Account: / });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await page.locator('[role=menu] :focus, [role=menu]:focus').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(await button.evaluate((element) => element.matches(':focus'))).toBe(true);
  });

  it('keeps the chosen theme and language', async () => {
    const { page } = await dashboard.open('/settings/account');
    await page.getByLabel('Theme').selectOption('dark');
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('heading', { name: 'Konto' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Konto' }).waitFor();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  });

  it('uses the language of the browser', async () => {
    const { page } = await dashboard.open('/contacts', { locale: 'de-DE' });
    await page.getByRole('heading', { name: 'Noch keine Kontakte' }).waitFor();
  });

  it('loads the code of the first page while it requests the session', async () => {
    const first = await dashboard.open('/nothing');
    const context = first.page.context();
    const code = context.waitForEvent('request', (request) =>
      /contacts-page.*\.js$/.test(request.url()),
    );
    await context.route('**/api/auth/session', async (route) => {
      await code;
      await route.continue();
    });
    const { page } = await dashboard.open('/contacts', { context });
    await page.getByRole('heading', { name: 'No contacts yet' }).waitFor();
  });

  it('does not claim to be offline while the service on this machine answers', async () => {
    const { page } = await dashboard.open('/contacts');
    await page.getByRole('heading', { name: 'No contacts yet' }).waitFor();
    const answered = page.waitForResponse((response) => response.url().endsWith('/health/live'));
    await page.evaluate(`
      Object.defineProperty(navigator, 'onLine', { value: false });
      dispatchEvent(new Event('offline'));
    `);
    await answered;
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    expect(await page.getByText('You are offline.').count()).toBe(0);
  });

  it('says that it is offline, and works again automatically without a reload', async () => {
    const { page } = await dashboard.open('/contacts');
    await page.getByRole('heading', { name: 'No contacts yet' }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await page.getByRole('searchbox').fill('ada');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Nobody matches' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('ada');
  });

  it.each([
    [413, {}, 'too large to send'],
    [429, { 'Retry-After': '30' }, 'Try again in 30 seconds'],
    [503, {}, 'cannot answer at the moment'],
    [500, {}, 'error id'],
  ])('explains an answer with the status %i', async (status, headers, text) => {
    const { page } = await dashboard.open('/');
    await page.route('**/api/tools/search_contacts', (route) =>
      route.fulfill({
        status,
        headers,
        contentType: 'application/problem+json',
        body: JSON.stringify(status === 500 ? { code: 'internal', error_id: 'e-1' } : {}),
      }),
    );
    await page.getByRole('link', { name: 'Contacts', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: text }).first().waitFor();
    if (status === 500) await page.getByText('e-1').first().waitFor();
  });
});

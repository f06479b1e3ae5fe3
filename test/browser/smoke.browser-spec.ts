import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, startDashboard } from './support/dashboard.js';

/** The part of the browser tests that `npm test` runs too. */
describe('the dashboard in a browser', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.close());

  it('signs a person in, replaces the key, and opens a contact', async () => {
    const { organization } = dashboard;
    await organization.call('create_contact', { email: 'ada@example.com', first_name: 'Ada' });
    const { page, faults } = await dashboard.open('/', { isSignedIn: false });
    await page.getByLabel('E-mail address').fill(organization.email);
    await page.getByLabel('Password').fill(organization.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'First steps' }).waitFor();

    await page.getByRole('link', { name: 'Developer' }).click();
    await page.getByRole('button', { name: 'Replace the key' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Replace the key' }).click();
    await page.getByRole('button', { name: 'I have stored the key' }).click();
    expect((await organization.rpc({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(401);

    await page.getByRole('link', { name: 'Contacts', exact: true }).click();
    await page.getByRole('link', { name: 'Ada' }).click();
    await page.getByRole('heading', { name: 'Ada' }).waitFor();
    expect(faults).toEqual([]);
  });
});

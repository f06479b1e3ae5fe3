import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

const CANARY = 'canary-in-the-dashboard';

describe('the page of secrets', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('creates, changes and deletes a secret, and shows faults at their fields', async () => {
    const { page, faults } = await dashboard.open('/settings/secrets');
    await page.getByRole('button', { name: 'New secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'New secret' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Stripe Key');
    await dialog.getByRole('textbox', { name: 'Value' }).fill(CANARY);
    await dialog.getByRole('textbox', { name: 'Hosts' }).fill('api.example.com');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'must match' }).first().waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('stripe_key');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('row').filter({ hasText: 'stripe_key' });
    await row.getByText('api.example.com').waitFor();

    await row.getByRole('button', { name: 'Change stripe_key' }).click();
    const change = page.getByRole('dialog', { name: 'Change stripe_key' });
    await change.getByLabel('Kind').selectOption({ label: 'HTTP Basic' });
    await change.getByRole('textbox', { name: 'User name' }).fill('ada');
    await change.getByRole('button', { name: 'Save' }).click();
    await change.getByRole('alert').filter({ hasText: 'is required to change' }).first().waitFor();
    await change.getByRole('textbox', { name: 'Password' }).fill(CANARY);
    await change.getByRole('button', { name: 'Save' }).click();
    await change.waitFor({ state: 'detached' });
    await row.getByText('HTTP Basic').waitFor();
    expect(await page.content()).not.toContain(CANARY);

    await row.getByRole('button', { name: 'Change stripe_key' }).click();
    await change.getByLabel('Kind').selectOption({ label: 'OAuth 2.0 client' });
    await change.getByRole('textbox', { name: 'Token URL' }).fill('https://api.example.com/token');
    await change.getByRole('textbox', { name: 'Client id' }).fill('shop');
    await change.getByLabel('How the token URL gets').selectOption({ label: 'In the body' });
    await change.getByRole('textbox', { name: 'Client secret' }).fill(CANARY);
    await change.getByRole('button', { name: 'Save' }).click();
    await change.waitFor({ state: 'detached' });
    const { value } = await dashboard.organization.call('list_secrets');
    expect(value).toMatchObject({
      secrets: [{ kind: 'oauth2_client', client_auth: 'body', scope: null, header: null }],
    });

    await row.getByRole('button', { name: 'Delete stripe_key' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no secrets yet').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContact } from '../messaging/support.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

const CANARY = 'canary-in-the-dashboard';

describe('the page of channels', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('says that without a mail server, e-mails are only written to files', async () => {
    const { page, faults } = await dashboard.open('/settings/channels');
    await page.getByRole('row', { name: /^E-mail email Only written to files/ }).waitFor();
    await page.getByText('E-mails are written to .eml files').waitFor();
    await page.getByRole('row', { name: 'SMS sms Needs a provider' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('creates, changes, tests and deletes a provider, and shows faults at their fields', async () => {
    const { page, faults } = await dashboard.open('/settings/channels');
    await page.getByRole('button', { name: 'New provider' }).click();
    const dialog = page.getByRole('dialog', { name: 'New provider' });
    await dialog.getByLabel('Channel and kind').selectOption('sms/twilio');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Main account');
    await dialog.getByRole('textbox', { name: 'Account SID' }).fill('AC 1');
    await dialog.getByRole('textbox', { name: 'Auth token' }).fill(CANARY);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'must be the SID' }).first().waitFor();
    await dialog.getByRole('textbox', { name: 'Account SID' }).fill('AC1');
    await dialog.getByRole('textbox', { name: 'Base URL' }).fill('http://127.0.0.1:9');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('row').filter({ hasText: 'Main account' });

    await row.getByRole('button', { name: 'Change Main account' }).click();
    const change = page.getByRole('dialog', { name: 'Change Main account' });
    await change.getByRole('textbox', { name: 'Messages a second' }).fill('25');
    await change.getByRole('button', { name: 'Save' }).click();
    await change.waitFor({ state: 'detached' });
    await row.getByText('25').waitFor();

    await row.getByRole('button', { name: 'Test Main account' }).click();
    const test = page.getByRole('dialog', { name: 'Test Main account' });
    await test.getByRole('textbox', { name: 'Address' }).fill('+4930123456');
    await test.getByRole('button', { name: 'Test' }).click();
    await test.getByText('The provider refused the message.').waitFor();
    await test.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.content()).not.toContain(CANARY);

    await row.getByRole('button', { name: 'Delete Main account' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no providers yet').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });

  it('lets a person decide about a message that is uncertain', async () => {
    const { organization, switchboard } = dashboard;
    const { id: contact_id } = await createContact(organization);
    const { value } = await organization.call<{ message: { id: string } }>('send_message', {
      contact_id,
      subject: 'Hello',
      body: 'Hello',
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const { id } = value.message;
    await switchboard.ownerQuery(`update messages set status = 'uncertain' where id = $1`, [id]);
    const { page, faults } = await dashboard.open(`/messages/${id}`);
    await page.getByText('Uncertain').first().waitFor();
    await page.getByRole('button', { name: 'It was not sent' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'It was not sent' }).click();
    await page.locator('ol').getByText('Resolved by dashboard.').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findViolations } from './support/axe.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

describe('the dialog that deletes a contact', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('counts the rows that would stay, and also deletes them when the person asks for it', async () => {
    const { organization } = dashboard;
    const email = 'leaves@example.com';
    const { value } = await organization.call<{ contact: { id: string } }>('create_contact', {
      email,
    });
    const contact_id = value.contact.id;
    const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
    await organization.call('send_message', { contact_id, subject: 'a', body: 'b', scheduled_at });
    await organization.call('suppress_address', { address: email });
    const { page, faults } = await dashboard.open(`/contacts/${contact_id}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete this contact?' });
    await dialog.getByLabel('Also delete its messages (1)').check();
    await dialog.getByLabel('Also forget that its addresses are suppressed (1)').check();
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The contact was deleted.').waitFor();
    const messages = await organization.call<{ messages: object[] }>('list_messages');
    expect(messages.value.messages).toEqual([]);
    const list = await organization.call<{ suppressions: object[] }>('list_suppressions');
    expect(list.value.suppressions).toEqual([]);
    expect(faults).toEqual([]);
  });
});

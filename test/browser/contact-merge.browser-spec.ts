import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findViolations } from './support/axe.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

interface Created {
  contact: { id: string };
}

describe('merging contacts', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('shows both contacts and a preview of the merge, merges them, and restores the merged contact', async () => {
    const { organization } = dashboard;
    const add = async (given: object) =>
      (await organization.call<Created>('create_contact', given)).value.contact.id;
    const kept = await add({ email: 'ada.lovelace@example.com', first_name: 'Ada', tags: ['vip'] });
    const other = await add({ email: 'adalovelace+x@example.com', last_name: 'Lovelace' });
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const message = { contact_id: other, subject: 'Hello Ada', body: 'x', scheduled_at: at };
    await organization.call('send_message', message);

    const { page, faults } = await dashboard.open('/contacts/duplicates');
    await page.getByRole('cell', { name: 'Ada ada.lovelace@example.com' }).waitFor();
    await page.getByRole('button', { name: 'Merge ada' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Merge two contacts' });
    await dialog.getByText('Moves: messages 1, runs 0').waitFor();
    await dialog.getByRole('row', { name: 'Last name – Lovelace Lovelace' }).waitFor();
    await dialog.getByLabel('Contact that stays').selectOption(other);
    await dialog.getByText('Moves: messages 0, runs 0').waitFor();
    await dialog.getByLabel('Contact that stays').selectOption(kept);
    await dialog.getByText('Moves: messages 1, runs 0').waitFor();
    expect(await findViolations(page)).toEqual([]);
    // The preview has not changed anything.
    const before = await organization.call<Created>('get_contact', { contact_id: other });
    expect(before.value.contact.id).toBe(other);
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.getByText('The contacts were merged.').waitFor();
    await page.getByRole('heading', { name: 'No duplicates found' }).waitFor();
    const after = await organization.call<Created>('get_contact', { contact_id: other });
    expect(after.value.contact.id).toBe(kept);

    // A link with the id of the merged contact shows the survivor.
    const opened = await dashboard.open(`/contacts/${other}`);
    await opened.page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    await opened.page.getByRole('link', { name: 'Hello Ada' }).waitFor();
    await opened.page.getByRole('button', { name: 'Restore Lovelace' }).click();
    const question = opened.page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Restore', exact: true }).click();
    await opened.page.getByText('The contact was restored.').waitFor();
    await opened.page.getByRole('heading', { name: 'Lovelace', exact: true }).waitFor();
    expect(await findViolations(opened.page)).toEqual([]);
    expect([...faults, ...opened.faults]).toEqual([]);
  });
});

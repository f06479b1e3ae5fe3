import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

describe('the explorer of tools', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('finds a tool, shows what a dry run would change, and then calls it, by keyboard', async () => {
    const { page, faults } = await dashboard.open('/tools');
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('create contact');
    await page.getByRole('link', { name: 'list_runs' }).waitFor({ state: 'detached' });
    await page.waitForURL('**/tools?q=create*');
    await page.getByRole('link', { name: 'create_contact' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('first_name').fill('Ada');
    await page.getByLabel('external_id').fill('crm-1');
    await page.getByRole('button', { name: 'Start the dry run' }).focus();
    await page.keyboard.press('Enter');
    const effects = page.getByRole('region', { name: 'What would change' });
    await effects.getByText('contacts', { exact: true }).waitFor();
    const search = await dashboard.organization.call<{ contacts: unknown[] }>('search_contacts');
    expect(search.value.contacts).toEqual([]);

    await page.getByLabel('Dry run').focus();
    await page.keyboard.press('Space');
    expect(await page.getByLabel('first_name').inputValue()).toBe('Ada');
    await page.getByRole('button', { name: 'Call', exact: true }).focus();
    await page.keyboard.press('Enter');
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('"Ada"').waitFor();
    const after = await dashboard.organization.call<{ contacts: unknown[] }>('search_contacts');
    expect(after.value.contacts).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  it('asks for a confirmation before a call that cannot be undone', async () => {
    const { page } = await dashboard.open('/tools/delete_contact');
    await page.getByLabel('Dry run').click();
    await page.getByLabel('contact_id').fill('unknown');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const question = page.getByRole('alertdialog', { name: 'Call delete_contact?' });
    await question.getByRole('button', { name: 'Call' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('alert').filter({ hasText: 'This did not work' }).waitFor();
  });

  it('hides a tool, shows it again, and makes its calls need the agreement of a person', async () => {
    const { page, faults } = await dashboard.open('/tools/send_message');
    await page.getByLabel('Hide this tool').click();
    await page.getByRole('button', { name: 'Save the policy' }).click();
    await page.getByText('This tool is hidden from everybody.').waitFor();
    expect((await dashboard.organization.call('send_message', {})).status).toBe(404);
    await page.getByLabel('Hide this tool').click();
    await page
      .getByLabel('Before an agent calls this tool, somebody must agree')
      .selectOption('always');
    await page.getByRole('button', { name: 'Save the policy' }).click();
    await page.getByRole('heading', { name: 'Try it' }).waitFor();
    await page.getByRole('link', { name: 'All tools' }).click();
    const row = page.getByRole('row').filter({ hasText: 'send_message' });
    await row.getByText('Always, from a signed-in person').waitFor();
    expect(faults).toEqual([]);
  });
});

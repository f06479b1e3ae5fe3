import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

describe('the settings of an organization', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
    await dashboard.organization.call('create_contact', { email: 'ada@example.com' });
  });
  afterAll(() => dashboard.close());

  it('include the audit log, which shows who changed what, and exports the entries that match the filter', async () => {
    const { page, faults } = await dashboard.open('/settings/audit');
    await page.getByRole('button', { name: 'sign_up' }).waitFor();
    await page.getByRole('textbox', { name: 'Action' }).fill('create_contact');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/settings/audit?action=create_contact');
    await page.getByRole('button', { name: 'sign_up' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'create_contact' }).click();
    const detail = page.getByRole('dialog', { name: 'Entry: create_contact' });
    await detail.getByText(dashboard.organization.userId).waitFor();
    await page.keyboard.press('Escape');

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\n');
    expect((await download).suggestedFilename()).toBe('audit-log.csv');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('create_contact');
    await page.reload();
    expect(await page.getByRole('textbox', { name: 'Action' }).inputValue()).toBe('create_contact');
    expect(faults).toEqual([]);
  });

  it('include the retention, which a person can change, and ask for confirmation before rows are deleted', async () => {
    const { page, faults } = await dashboard.open('/settings/retention');
    const audit = page.getByLabel('Audit log, in days');
    await audit.fill('ten');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a whole number of days, or leave this empty.').waitFor();
    await audit.fill('');
    await page.getByLabel('Runs, in days').fill('30');
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Delete what is older?' });
    await question.getByRole('button', { name: 'Save and delete' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByText('The retention was saved.').first().waitFor();
    await page.reload();
    await page.getByLabel('Runs, in days').waitFor();
    expect(await page.getByLabel('Runs, in days').inputValue()).toBe('30');

    await page.getByLabel('Audit log, in days').fill('10');
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Save and delete' }).click();
    await page.getByRole('alert').filter({ hasText: '90' }).first().waitFor();
    expect(await page.getByLabel('Audit log, in days').inputValue()).toBe('10');
    expect(faults).toEqual([]);
  });
});

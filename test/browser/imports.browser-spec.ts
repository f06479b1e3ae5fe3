import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findViolations } from './support/axe.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

const FILE = [
  'E-mail;Vorname;Plan',
  'ada@example.com;Ada;pro',
  'ADA@example.com;Ada;pro',
  'grace@example;Grace;free',
].join('\n');

describe('the import of contacts', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('accepts a file and a mapping, checks the rows, imports them, and offers the rejected rows', async () => {
    const { page, faults } = await dashboard.open('/contacts');
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'No imports' }).waitFor();
    const file = (text: string) => ({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(text),
    });
    await page.getByLabel('CSV file').setInputFiles(file('email\n'));
    await page.getByRole('alert').filter({ hasText: 'The file has no rows' }).waitFor();
    await page.getByLabel('CSV file').setInputFiles(file(FILE));
    await page.getByRole('heading', { name: 'people.csv' }).waitFor();
    expect(await page.getByLabel('Field for E-mail').inputValue()).toBe('email');
    expect(await page.getByLabel('Field for Vorname').inputValue()).toBe('first_name');
    await page.getByLabel('Field for Plan').selectOption('Property plan');
    expect(await findViolations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Check the rows' }).click();
    await page.getByText('Nothing was changed. An import would do this:').waitFor();
    expect(await dashboard.organization.call('count_contacts')).toMatchObject({
      value: { count: 0 },
    });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Completed').waitFor();
    const rejected = page.getByRole('region', { name: 'First rejected rows' });
    await rejected.getByText('email must be one e-mail address').first().waitFor();
    expect(await findViolations(page)).toEqual([]);
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download rejected rows' }).click();
    expect((await downloading).suggestedFilename()).toBe('rejected-people.csv');

    await page.getByRole('link', { name: 'All imports' }).click();
    await page.getByRole('row', { name: /^people\.csv Completed 3 2 / }).waitFor();
    await page.getByRole('link', { name: 'Contacts', exact: true }).click();
    await page.getByRole('link', { name: 'Ada' }).waitFor();
    expect(faults).toEqual([]);
  });
});

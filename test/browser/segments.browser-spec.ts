import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findViolations } from './support/axe.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

describe('the segments of contacts', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('are saved from a search, filled by hand, used as a condition, changed and deleted', async () => {
    const { organization } = dashboard;
    await organization.call('create_contact', { email: 'ada@example.com', tags: ['vip'] });
    await organization.call('create_contact', { email: 'grace@example.com' });
    const { page, faults } = await dashboard.open('/contacts');

    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Field').selectOption('tags');
    await page.getByLabel('Value').fill('vip');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Save as segment' }).click();
    await page.getByLabel('Name').fill('Important people');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Important people' }).waitFor();
    await page.getByRole('link', { name: 'ada@example.com' }).waitFor();
    expect(await findViolations(page)).toEqual([]);

    await page.getByLabel('Value').fill('nobody');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'No contacts in this segment' }).waitFor();

    await page.getByRole('link', { name: 'All segments' }).click();
    await page.getByRole('button', { name: 'New segment' }).click();
    await page.getByLabel('Name').fill('Picked');
    await page.getByLabel('Kind').selectOption('Static');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('E-mail address of a contact').fill('grace@example.com');
    await page.getByRole('button', { name: 'Add to the segment' }).click();
    await page.getByRole('link', { name: 'grace@example.com' }).waitFor();

    await page.getByRole('link', { name: 'Show as a search' }).click();
    await page.getByRole('link', { name: 'grace@example.com' }).waitFor();
    // Until the list of segments is loaded, the field shows the id.
    const value = page.getByLabel('Value').locator('option:checked');
    await expect.poll(() => value.textContent()).toBe('Picked');
    await page.goBack();
    await page.getByRole('button', { name: 'Remove grace@example.com' }).click();
    await page.getByRole('heading', { name: 'No contacts in this segment' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Important people' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});

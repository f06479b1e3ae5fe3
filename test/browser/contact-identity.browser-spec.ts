import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findViolations } from './support/axe.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

describe('the identity of contacts', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('has pages for aliases, duplicates and the country of phone numbers', async () => {
    const { organization } = dashboard;
    const add = (given: object) => organization.call('create_contact', given);
    await add({ email: 'jane.doe@example.com', first_name: 'Jane', last_name: 'Doe' });
    await add({ email: 'janedoe+news@example.com' });
    const { page, faults } = await dashboard.open('/settings/contacts');
    await page.getByLabel('Country of phone numbers').fill('XX');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'ISO 3166' }).first().waitFor();
    await page.getByLabel('Country of phone numbers').fill('br');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings of contacts were saved.').waitFor();
    expect(await findViolations(page)).toEqual([]);

    await page.getByRole('link', { name: 'Contacts', exact: true }).click();
    await page.getByRole('link', { name: 'Duplicates' }).click();
    await page.getByRole('cell', { name: 'Similar e-mail address' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel('Reason').selectOption('same_name');
    await page.getByRole('heading', { name: 'No duplicates found' }).waitFor();
    await page.getByLabel('Reason').selectOption('');
    await page.getByRole('link', { name: 'Jane Doe' }).click();

    const alias = page.getByLabel('E-mail address or phone number');
    await alias.fill('(11) 8765-4321');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: '+5511987654321', exact: true }).waitFor();
    await alias.fill('janedoe+news@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'belongs to the contact' }).first().waitFor();
    expect(await alias.inputValue()).toBe('janedoe+news@example.com');
    await page.getByRole('button', { name: 'Remove +5511987654321' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No aliases.').waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('has a page for typed properties, which lists values of the wrong type and removes them', async () => {
    const { organization } = dashboard;
    await organization.call('create_contact', {
      email: 'grace@example.com',
      properties: { seats: 'five', plan: 'pro' },
    });
    const { page, faults } = await dashboard.open('/contacts');
    await page.getByRole('link', { name: 'Properties' }).click();
    await page.getByRole('button', { name: 'Declare a property' }).click();
    const form = page.getByRole('dialog', { name: 'Declare a property' });
    await form.getByLabel('Name').fill('seats');
    await form.getByLabel('Type').selectOption('number');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('cell', { name: '"five"' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Remove these values' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Remove these values' }).click();
    await form.getByText('All values fit now.').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Number', exact: true }).waitFor();
    expect(await findViolations(page)).toEqual([]);

    await page.getByRole('link', { name: 'All contacts' }).click();
    await page.getByRole('link', { name: 'grace@example.com' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit the contact' });
    const seats = edit.getByRole('group', { name: 'Properties', exact: true }).getByLabel('seats');
    await seats.fill('many');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.getByText('This must be a number.').waitFor();
    await seats.fill('5');
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The contact was changed.').waitFor();
    const { value } = await organization.call<{ contact: { properties: object } }>('get_contact', {
      email: 'grace@example.com',
    });
    expect(value.contact.properties).toEqual({ seats: 5, plan: 'pro' });
    expect(faults).toEqual([]);
  });
});

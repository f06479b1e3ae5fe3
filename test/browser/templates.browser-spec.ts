import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContact } from '../messaging/support.js';
import { findViolations } from './support/axe.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

describe('templates', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('are written, corrected, published, previewed, compared and restored by a person', async () => {
    const contact = await createContact(dashboard.organization, { first_name: 'Ada <b>' });
    const { page, faults } = await dashboard.open('/templates');
    await page.getByRole('button', { name: 'Add a template' }).click();
    const form = page.getByRole('dialog', { name: 'Add a template' });
    await form.getByLabel('Name').fill('order');
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'order' }).waitFor();

    await page.getByRole('button', { name: 'Add a variable' }).click();
    await page.getByRole('group', { name: 'Variable 1' }).getByLabel('Name').fill('code');
    await page.getByLabel('New language').fill('en');
    await page.getByRole('button', { name: 'Add the language' }).click();
    await page.getByLabel('Subject').fill('Order {{ cod }}');
    await page
      .getByLabel('HTML')
      .fill('<p>Hello <i>{{ contact.first_name }}</i>: {{ code | raw }}</p>');
    await page.getByRole('button', { name: 'Save and publish' }).click();
    // The fault is shown at its field.
    await page.getByLabel('Subject').and(page.locator('[aria-invalid]')).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel('Subject').fill('Order {{ code }}');
    await page.getByRole('button', { name: 'Save and publish' }).click();
    await page.getByRole('status').filter({ hasText: 'with raw' }).waitFor();

    await page.getByRole('tab', { name: 'Preview' }).click();
    const field = page.getByRole('combobox', { name: 'Contact' });
    await field.fill(contact.id);
    await page.getByRole('option', { name: 'Ada <b>' }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByText('Ada <b>').waitFor();
    await page.getByText('Order [code]').waitFor();
    await page.getByLabel('code').fill('A7');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('Order A7').waitFor();
    await frame.getByText('A7').waitFor();
    await page.getByRole('button', { name: 'Send it to me' }).click();
    await page.getByText('A test was sent to').waitFor();
    // Polls, because the contrast of the button is too low while its colours change.
    await expect.poll(() => findViolations(page)).toEqual([]);

    await page.getByRole('tab', { name: 'Draft' }).click();
    await page.getByLabel('Subject').fill('Changed {{ code }}');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByText('The draft was saved.').waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Compare 1' }).click();
    await page.getByText('/variants/en/email/subject').first().waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore 1' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Restore 1' }).click();
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Order {{ code }}');
    expect(faults).toEqual([]);
  });

  it('are previewed by keyboard, for a contact that a person finds by name or address', async () => {
    const { organization } = dashboard;
    for (const [first_name, email] of [
      ['Grace', 'grace@example.com'],
      ['Graciela', 'graciela@example.com'],
    ]) {
      await createContact(organization, { first_name, last_name: 'Lee', email });
    }
    const { value } = await organization.call<{ template: { id: string } }>('create_template', {
      name: 'greeting',
      variants: { en: { email: { subject: 'Hello {{ contact.first_name }}', text: 'Hello.' } } },
    });
    const { page, faults } = await dashboard.open(`/templates/${value.template.id}`);
    await page.getByRole('tab', { name: 'Preview' }).click();
    const field = page.getByRole('combobox', { name: 'Contact' });
    await field.fill('Lee');
    const options = page.getByRole('option', { name: /@example.com$/ });
    await options.nth(1).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await field.press('ArrowDown');
    const chosen = (await options.and(page.locator('[aria-selected=true]')).textContent())!;
    await field.press('Enter');
    const name = chosen.startsWith('Graciela') ? 'Graciela' : 'Grace';
    await page.getByText(`Hello ${name}`, { exact: true }).waitFor();
    expect(await field.inputValue()).toBe(`${name} Lee`);

    await field.fill('grace@');
    await page.getByRole('option', { name: 'Grace Lee grace@example.com' }).click();
    await page.getByText('Hello Grace', { exact: true }).waitFor();
    await field.fill('nobody at all');
    await page.getByText('No contact was found.').waitFor();
    await field.fill('con_unknown');
    await page.getByText('No contact was found.').waitFor();
    await page.getByText('Hello Grace', { exact: true }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });
});

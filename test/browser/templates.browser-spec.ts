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
    await page.getByLabel('Id of a contact').fill(contact.id);
    await page.getByRole('button', { name: 'Show' }).click();
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
});

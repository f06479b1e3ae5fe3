import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findViolations } from './support/axe.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

const TEMPLATE = {
  name: 'receipt',
  variables: [{ name: 'amount', type: 'number' }],
  variants: { en: { email: { subject: 'Paid {{ amount }}', text: 'Thank you.' } } },
};

describe('the page that sends a message', () => {
  let dashboard: Dashboard;
  let contactId: string;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
    const { organization } = dashboard;
    const contact = { email: 'ada@example.com', first_name: 'Ada' };
    const created = await organization.call<{ contact: { id: string } }>('create_contact', contact);
    contactId = created.value.contact.id;
    await organization.call('create_topic', { name: 'news', title: 'News', default: 'opted_in' });
    await organization.call('create_template', { ...TEMPLATE, name: 'draft-only' });
    const made = await organization.call<{ template: { id: string } }>('create_template', TEMPLATE);
    await organization.call('publish_template', { template_id: made.value.template.id });
  });
  afterAll(() => dashboard.close());

  it('sends a text with an attachment and a topic', async () => {
    const { page, faults } = await dashboard.open('/messages');
    await page.getByRole('link', { name: 'Send a message' }).click();
    await page.getByLabel('Recipient').fill('Ada@Example.com');
    await page.getByLabel('Topic').selectOption('News');
    await page.getByLabel('Subject').fill('Hello Ada');
    await page.getByLabel('Text').fill('See the file.');
    for (const name of ['wrong.txt', 'prices.pdf']) {
      const file = { name, mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') };
      await page.getByLabel('Attach a file').setInputFiles(file);
      await page.getByRole('list', { name: 'Attached files' }).getByText(name).first().waitFor();
    }
    await page.getByRole('button', { name: 'Remove wrong.txt' }).click();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('heading', { name: 'Hello Ada' }).waitFor();
    await page.getByText('See the file.').waitFor();
    await page.getByText('prices.pdf').waitFor();
    expect(await page.getByText('wrong.txt').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('sends a published template to the contact of a page, with typed variables', async () => {
    const { page, faults } = await dashboard.open(`/contacts/${contactId}`);
    await page.getByRole('link', { name: 'Send a message' }).click();
    await page.waitForURL(`**/messages/new?contact=${contactId}`);
    expect(await page.getByLabel('Recipient').inputValue()).toBe(contactId);
    const content = page.getByLabel('Content');
    await content.getByRole('option', { name: 'receipt' }).waitFor({ state: 'attached' });
    expect(await content.getByRole('option').allTextContents()).toEqual([
      'Write the text here',
      'receipt',
    ]);
    await content.selectOption('receipt');
    // A variable without a default is required, so its label is the name alone, without "optional".
    await page.getByLabel('amount', { exact: true }).fill('12');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('heading', { name: 'Paid 12' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('shows errors, and a fault of an argument at its field, and keeps the typed text', async () => {
    const { page } = await dashboard.open('/messages/new');
    const send = page.getByRole('button', { name: 'Send', exact: true });
    const recipient = page.getByLabel('Recipient');
    await recipient.fill('nobody@example.com');
    await page.getByLabel('Text').fill('Kept.');
    await send.click();
    // The fault is shown at the field of the recipient only, and not also in a panel above the form.
    const invalid = page.locator('input[aria-invalid=true]');
    await invalid.waitFor();
    expect(await invalid.inputValue()).toBe('nobody@example.com');
    await page.getByText('belongs to no contact').waitFor();
    expect(await page.getByText('No contact has this email.').count()).toBe(0);
    await recipient.fill('ada@example.com');
    await send.click();
    await page.locator('input[aria-invalid=true]').waitFor();
    await page.getByRole('alert').filter({ hasText: 'subject' }).first().waitFor();
    expect(await page.getByLabel('Text').inputValue()).toBe('Kept.');
  });
});

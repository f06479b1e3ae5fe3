import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findViolations } from './support/axe.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

describe('suppressed addresses', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('are added, shown and removed', async () => {
    const { page, faults } = await dashboard.open('/messages');
    await page.getByRole('link', { name: 'Suppressed addresses' }).click();
    await page.getByRole('heading', { name: 'No suppressed addresses' }).waitFor();
    const address = page.getByLabel('E-mail address or phone number to suppress');
    await address.fill('no address@');
    await page.keyboard.press('Enter');
    // The fault is shown once, below the form.
    await page.getByRole('alert').filter({ hasText: 'e-mail address' }).waitFor();
    expect(await page.getByText('must be').count()).toBe(1);
    await address.fill('nonsense');
    await page.keyboard.press('Enter');
    await page.getByText('This is neither an e-mail address nor a phone number.').waitFor();
    // The earlier fault of the tool is no longer shown.
    await page.getByText('must be').waitFor({ state: 'detached' });
    expect(await findViolations(page)).toEqual([]);
    await address.fill('Jane@Example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'jane@example.com', exact: true }).waitFor();
    await page.getByRole('cell', { name: 'By hand' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove jane@example.com' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'No suppressed addresses' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('are shown on the page of a contact as the reason why a message would not be sent', async () => {
    const { organization } = dashboard;
    const created = await organization.call<{ contact: { id: string } }>('create_contact', {
      email: 'bounced@example.com',
    });
    const { page, faults } = await dashboard.open(`/contacts/${created.value.contact.id}`);
    const section = page.locator('section').filter({ hasText: 'Would a message be sent now?' });
    await section.getByText('Yes. It would be sent now').waitFor();
    await organization.call('suppress_address', {
      channel: 'email',
      address: 'bounced@example.com',
    });
    await page.reload();
    await section.getByText('No. It would not be sent').waitFor();
    await section.getByRole('row', { name: /^Suppressed addresses holds it back/ }).waitFor();
    await section.getByLabel('Channel').selectOption('SMS');
    await section.getByRole('row', { name: /^Address holds it back/ }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    // The page Channels uses more members of the answer of list_channels than the page of a contact.
    await page.getByRole('link', { name: 'Channels' }).click();
    await page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
    await page.getByText('Webhook').first().waitFor();
    expect(faults).toEqual([]);
  });
});

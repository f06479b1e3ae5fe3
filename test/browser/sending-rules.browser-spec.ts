import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContact, send, untilStatus } from '../messaging/support.js';
import { findViolations } from './support/axe.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

describe('the sending rules', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('hold a message, and the page of the message shows the time and the reason', async () => {
    const { page, faults } = await dashboard.open('/settings/sending');
    await page.getByLabel('Time zone of contacts that have none').fill('Mars/Olympus');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'Europe/Berlin' }).first().waitFor();
    await page.getByLabel('Time zone of contacts that have none').fill('Europe/Berlin');
    await page.getByLabel('Hold e-mails without a topic too').check();
    await page.getByRole('button', { name: 'Add a cap' }).click();
    await page.getByLabel('Messages at most').fill('1');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The rules were saved.').waitFor();

    const { organization, switchboard } = dashboard;
    const contact = await createContact(organization);
    const given = { contact_id: contact.id, subject: 'Hello', body: 'Hello.' };
    const first = await send(organization, given);
    await untilStatus(organization, first.id, 'sent');
    const second = await send(organization, given);
    await untilStatus(organization, second.id, 'held');
    await page.goto(`${switchboard.url}/messages/${second.id}`);
    await page.getByText('Held until').waitFor();
    await page.getByText('It waits').waitFor();
    await page.getByText('as many messages as the cap of email allows').first().waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel the message' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Cancel the message' }).click();
    await page.getByText('It was not sent').waitFor();
    expect(faults).toEqual([]);
  });
});

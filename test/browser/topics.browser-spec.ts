import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContact, readEml, send, untilStatus } from '../messaging/support.js';
import { findViolations } from './support/axe.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

describe('topics', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('are added by a person, and left by a contact with the link in an e-mail', async () => {
    const { organization, switchboard } = dashboard;
    const { page, faults } = await dashboard.open('/settings/topics');
    await page.getByRole('button', { name: 'Add a topic' }).click();
    const form = page.getByRole('dialog', { name: 'Add a topic' });
    await form.getByLabel('Name').fill('News!');
    await form.getByLabel('Title').fill('Our news');
    await form.getByLabel('Contacts without a decision').selectOption('opted_in');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('must be a letter').first().waitFor();
    await form.getByLabel('Name').fill('news');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Our news' }).waitFor();
    expect(await findViolations(page)).toEqual([]);

    const { id } = await createContact(organization);
    const sent = await send(organization, { contact_id: id, topic: 'news' });
    await untilStatus(organization, sent.id, 'sent');
    const eml = await readEml(switchboard, sent.id);
    const link = new URL(eml.headers.get('list-unsubscribe')!.slice(1, -1));
    expect(link.origin).toBe(switchboard.url);

    const stranger = await dashboard.open(link.pathname, { isSignedIn: false });
    await stranger.page.getByText('Our news').waitFor();
    expect(await findViolations(stranger.page)).toEqual([]);
    await stranger.page.getByRole('button', { name: 'Unsubscribe' }).click();
    await stranger.page.getByRole('status').filter({ hasText: 'Our news' }).waitFor();
    await stranger.page.getByRole('link', { name: 'Choose what you get' }).click();
    await stranger.page.getByRole('heading', { name: 'What you get' }).waitFor();
    await expect.poll(() => stranger.page.getByLabel('Our news').isChecked()).toBe(false);
    expect(await findViolations(stranger.page)).toEqual([]);

    await page.goto(`${switchboard.url}/contacts/${id}`);
    await page.getByRole('row', { name: /^Our news Does not get it/ }).waitFor();
    await page.getByRole('cell', { name: 'The page of an unsubscribe link' }).first().waitFor();
    expect(await findViolations(page)).toEqual([]);

    await stranger.page.getByLabel('Our news').check();
    await stranger.page.getByRole('button', { name: 'Save' }).click();
    await stranger.page.getByRole('status').filter({ hasText: 'saved' }).waitFor();
    await page.getByRole('row', { name: /^Our news Gets it/ }).waitFor();
    await page.getByRole('button', { name: 'Unsubscribe Our news' }).click();
    await page.getByRole('row', { name: /^Our news Does not get it/ }).waitFor();
    expect([...faults, ...stranger.faults]).toEqual([]);
  });
});

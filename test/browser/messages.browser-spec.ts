import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContact, send, untilStatus } from '../messaging/support.js';
import { findViolations } from './support/axe.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

interface Sent {
  message: { id: string };
}

const NEXT_YEAR = new Date(Date.now() + 300 * 86_400_000).toISOString();

describe('messages', () => {
  let dashboard: Dashboard;

  const schedule = async (email: string, body: string): Promise<string> => {
    await dashboard.organization.call('create_contact', { email, on_conflict: 'update' });
    const { value } = await dashboard.organization.call<Sent>('send_message', {
      email,
      subject: `To ${email}`,
      body,
      scheduled_at: NEXT_YEAR,
    });
    return value.message.id;
  };

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('can be filtered by status, can be opened, and can be canceled', async () => {
    await schedule('ada@example.com', 'Good morning.');
    const { page, faults } = await dashboard.open('/messages');
    await page.getByRole('option', { name: 'Scheduled (1)' }).waitFor({ state: 'attached' });
    await page.getByLabel('State').selectOption('pending');
    await page.getByLabel('Channel').selectOption('email');
    await page.waitForURL('**/messages?status=pending&channel=email');
    await page.getByRole('link', { name: 'To ada@example.com' }).click();
    await page.getByText('Good morning.').waitFor();
    await page.getByText('for ').waitFor();
    await page.getByRole('button', { name: 'Cancel the message' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Cancel the message' }).click();
    await page.locator('ol').getByText('Canceled by dashboard.').waitFor();
    await page.getByRole('button', { name: 'Cancel the message' }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('are listed with their channel, and received messages are marked', async () => {
    const { organization } = dashboard;
    await schedule('out@example.com', 'Out.');
    const contact = await createContact(organization);
    await organization.call('record_message', {
      contact_id: contact.id,
      channel: 'sms',
      body: 'Hello from a phone',
    });
    const { page, faults } = await dashboard.open('/messages');
    await page.getByRole('row', { name: /Hello from a phone .*SMS, received/ }).waitFor();
    await page.getByRole('row', { name: /To out@example.com .*E-mail Scheduled/ }).waitFor();
    expect(faults).toEqual([]);
  });

  it('show after a bounce that the message was sent, but did not arrive', async () => {
    const { organization } = dashboard;
    const contact = await createContact(organization);
    const { id } = await send(organization, { contact_id: contact.id, subject: 'Hi', body: 'Hi.' });
    await untilStatus(organization, id, 'sent');
    const report = { message_id: id, outcome: 'bounced', reason: '550 No such mailbox' };
    await organization.call('report_delivery', report);
    const { page, faults } = await dashboard.open(`/messages/${id}`);
    await page.getByText('It was sent, but did not arrive').waitFor();
    await page.getByText('550 No such mailbox').first().waitFor();
    expect(faults).toEqual([]);
  });

  it('show markup as text, and cut a line of 200,000 characters until the person asks for all of it', async () => {
    const body = `<script>alert(1)</script>${'x'.repeat(200_000)}END`;
    const id = await schedule('long@example.com', body);
    const { page, faults } = await dashboard.open(`/messages/${id}`);
    const text = page.getByRole('region', { name: 'Text' });
    await text.getByText('<script>alert(1)</script>').waitFor();
    expect((await text.textContent())!.length).toBeLessThan(3000);
    await page.getByRole('button', { name: /Show all/ }).click();
    await page.getByRole('button', { name: 'Show less' }).waitFor();
    expect(await text.textContent()).toBe(body);
    expect(faults).toEqual([]);
  });

  it('are shown in a frame that runs no scripts and loads nothing, even when the content of the frame is opened as a page', async () => {
    const url = `${dashboard.switchboard.url}/api/auth/sign-out`;
    const body =
      `<script>parent.hit = 1; fetch('${url}', { method: 'POST' })</script>` +
      `<img src="${url}" onerror="parent.hit = 1"><meta http-equiv="refresh" content="0; ${url}">` +
      `<a href="${url}">click</a> ${url} \u202e`;
    const id = await schedule('frame@example.com', body);
    const { page, faults } = await dashboard.open(`/messages/${id}`);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.getByRole('tab', { name: 'Preview' }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByText(`<script>parent.hit = 1`).waitFor();
    expect(await frame.locator('script, img, a, meta[http-equiv]').count()).toBe(0);
    expect(await page.evaluate('[window.hit, frames[0].origin]').catch(() => 'other origin')).toBe(
      'other origin',
    );
    expect(requests.filter((each) => each.endsWith('/sign-out'))).toEqual([]);
    expect(requests.filter((each) => each.endsWith('/preview'))).toHaveLength(1);
    expect(await findViolations(page)).toEqual([]);
    await page.goto(`${dashboard.switchboard.url}/api/messages/${id}/preview`);
    await page.getByText(`<script>parent.hit = 1`).waitFor();
    expect(await page.evaluate('self.origin')).toBe('null');
    expect(faults).toEqual([]);
  });

  it('are listed in pages, and the browser keeps one page at a time', async () => {
    for (let index = 0; index < 51; index += 1) await schedule('many@example.com', `${index}`);
    const { page } = await dashboard.open('/messages?status=scheduled');
    await page.locator('tbody tr').nth(49).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(50);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2').waitFor();
    await page.locator('tbody tr').nth(49).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('Page 1').waitFor();
  });
});

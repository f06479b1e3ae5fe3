import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, startDashboard } from './support/dashboard.js';

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
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.close());

  it('are listed by state, opened and canceled', async () => {
    await schedule('ada@example.com', 'Good morning.');
    const { page, faults } = await dashboard.open('/messages');
    await page.getByLabel('State').selectOption('scheduled');
    await page.waitForURL('**/messages?status=scheduled');
    await page.getByRole('link', { name: 'To ada@example.com' }).click();
    await page.getByText('Good morning.').waitFor();
    await page.getByText('Scheduled for').waitFor();
    await page.getByRole('button', { name: 'Cancel the message' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Cancel the message' }).click();
    await page.locator('main').getByText('Canceled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel the message' }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('show markup as text, and cut a line of 200,000 characters until all of it is wanted', async () => {
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

  it('come in pages, one of which is in the browser at a time', async () => {
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

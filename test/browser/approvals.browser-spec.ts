import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

describe('approvals', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
    const policy = { tool: 'create_contact', confirmation: 'always' };
    const { status } = await dashboard.organization.call('set_tool_policy', policy);
    expect(status).toBe(200);
  });
  afterAll(() => dashboard.close());

  /** Calls the protected tool as an agent does, and returns the text of the answer. */
  const addAsAgent = async (email: string): Promise<string> => {
    const answer = await dashboard.organization.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'create_contact', arguments: { email } },
    });
    return await answer.text();
  };

  it('show a call as soon as an agent makes it, and let a person approve the call by keyboard', async () => {
    const { page, faults } = await dashboard.open('/approvals');
    await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
    expect(await addAsAgent('ada@example.com')).toContain('confirmation_required');
    const card = page.getByRole('article', { name: 'create_contact' });
    await page.getByRole('link', { name: 'Approvals (1 waits)' }).waitFor();
    await card.getByText('ada@example.com').waitFor();
    await card.getByRole('button', { name: 'Approve' }).focus();
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Approve create_contact?' });
    await question.getByRole('button', { name: 'Approve' }).focus();
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    expect(await addAsAgent('ada@example.com')).not.toContain('confirmation_required');
    await page.getByLabel('Show').selectOption('all');
    await page.getByText('Approved and made').waitFor();
    await page.getByRole('link', { name: 'Approvals', exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  it('let a person decline a call, which is then forbidden', async () => {
    await addAsAgent('grace@example.com');
    const { page } = await dashboard.open('/approvals');
    const card = page.getByRole('article').filter({ hasText: 'grace@example.com' });
    await card.getByRole('button', { name: 'Decline' }).click();
    await card.waitFor({ state: 'detached' });
    expect(await addAsAgent('grace@example.com')).toContain('forbidden');
  });
});

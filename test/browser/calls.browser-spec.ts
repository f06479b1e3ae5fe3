import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';
import { parseCommand } from './support/parse-command.js';

describe('the log of calls', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  /** Calls a tool as an agent does. */
  const callAsAgent = (name: string, given: object): Promise<Response> =>
    dashboard.organization.rpc(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
      { 'User-Agent': 'a client/1.0' },
    );

  it('shows calls as they happen, the error of a call, and a command that repeats the call', async () => {
    const { page, faults } = await dashboard.open('/settings/developer/calls');
    await page.getByRole('heading', { name: 'No calls yet' }).waitFor();
    await callAsAgent('get_message', { message_id: 'unknown' });
    const row = page.getByRole('row').filter({ hasText: 'get_message' });
    await row.getByText('Not found').waitFor();
    await row.getByText('a client/1.0').waitFor();

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused.').waitFor();
    await callAsAgent('search_contacts', {});
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'search_contacts' }).waitFor();

    await row.getByRole('button', { name: 'get_message' }).focus();
    await page.keyboard.press('Enter');
    const detail = page.getByRole('dialog', { name: 'Call of get_message' });
    await detail.getByText('The organization has no such tool or row.').waitFor();
    const command = await detail
      .getByRole('region', { name: 'As curl' })
      // The names of the arguments follow as soon as the list of tools is loaded.
      .filter({ hasText: '<string>' })
      .textContent();
    const parts = parseCommand(command ?? '');
    expect(parts.slice(0, 3)).toEqual(['curl', '-s', `${dashboard.switchboard.url}/api/mcp`]);
    expect(JSON.parse(parts[parts.indexOf('-d') + 1]!)).toMatchObject({
      params: { name: 'get_message', arguments: { message_id: '<string>' } },
    });
    const address = page.url();
    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('call=');
    await page.goto(address);
    await detail.getByText('The organization has no such tool or row.').waitFor();
    await page.goto(address.replace(/call=[^&]*/, 'call=%22999999999%22'));
    await page.getByRole('dialog').getByText('No call of this organization').waitFor();
    expect(faults).toEqual([]);
  });

  it('is filtered by outcome, tool and caller, and the address of the page keeps the filters', async () => {
    await callAsAgent('get_message', { message_id: 'unknown' });
    await callAsAgent('search_contacts', {});
    const { page } = await dashboard.open('/settings/developer/calls');
    await page.getByRole('button', { name: 'search_contacts' }).first().waitFor();
    await page.getByLabel('Outcome').selectOption('not_found');
    await page.waitForURL('**/calls?outcome=not_found');
    await page.getByRole('button', { name: 'get_message' }).first().waitFor();
    expect(await page.getByRole('button', { name: 'search_contacts' }).count()).toBe(0);
    await page.getByRole('textbox', { name: 'Tool' }).fill('search_contacts');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No call matches' }).waitFor();
    await page.getByRole('button', { name: 'Show every call' }).click();
    await page.waitForURL('**/calls?who=everybody');
    await page.getByRole('button', { name: 'get_message' }).first().waitFor();
  });
});

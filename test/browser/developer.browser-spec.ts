import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCommand } from './support/parse-command.js';
import { type Dashboard, type OpenPage, sharedDashboard } from './support/dashboard.js';

const KEY = /swb_[0-9A-Za-z]{38}/;

describe('Settings → Developer', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  /** Replaces the key as a person does, and returns the new key. */
  const replaceKey = async ({ page }: OpenPage): Promise<string> => {
    await page.getByRole('button', { name: 'Replace the key' }).click();
    const question = page.getByRole('alertdialog', { name: 'Replace the key?' });
    await question.getByRole('button', { name: 'Replace the key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new API key' });
    await shown.waitFor();
    const key = KEY.exec((await shown.getByRole('region').textContent()) ?? '')![0];
    await shown.getByRole('button', { name: /^Copy/ }).click();
    await shown.getByText('Copied').first().waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
    await shown.getByRole('button', { name: 'I have stored the key' }).click();
    return key;
  };

  const listTools = (url: string, headers: Record<string, string>): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });

  it('keeps the old key until the person agrees, and shows the new key only once', async () => {
    const opened = await dashboard.open('/settings/developer');
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'Replace the key' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(
      (await dashboard.organization.rpc({ jsonrpc: '2.0', id: 1, method: 'ping' })).status,
    ).toBe(200);
    const key = await replaceKey(opened);
    expect(
      (await dashboard.organization.rpc({ jsonrpc: '2.0', id: 1, method: 'ping' })).status,
    ).toBe(401);
    await page.reload();
    await page.getByText(key.slice(-4)).waitFor();
    expect(await page.content()).not.toContain(key);
    expect(faults).toEqual([]);
  });

  it('gives snippets with which each client connects', async () => {
    const opened = await dashboard.open('/settings/developer');
    const { page } = opened;
    const key = await replaceKey(opened);
    const snippet = async (tab: string): Promise<string> => {
      await page.getByRole('tab', { name: tab }).click();
      const panel = page.getByRole('tabpanel', { name: tab });
      await panel.getByRole('region').waitFor();
      return (await panel.getByRole('region').textContent()) ?? '';
    };
    const endpoint = `${dashboard.switchboard.url}/api/mcp`;
    const headers = { Authorization: `Bearer ${key}` };

    const claude = parseCommand(await snippet('Claude Code'));
    expect(claude.slice(0, 6)).toEqual([
      'claude',
      'mcp',
      'add',
      '--transport',
      'http',
      'switchboard',
    ]);
    expect(claude.slice(6)).toEqual([endpoint, '--header', `Authorization: Bearer ${key}`]);

    const cursor = JSON.parse(await snippet('Cursor')) as unknown;
    expect(cursor).toEqual({ mcpServers: { switchboard: { url: endpoint, headers } } });

    const file = JSON.parse(await snippet('VS Code')) as unknown;
    expect(file).toEqual({ servers: { switchboard: { type: 'http', url: endpoint, headers } } });
    const link = await page.getByRole('link', { name: 'Install in VS Code' }).getAttribute('href');
    expect(JSON.parse(decodeURIComponent(link!.split('?')[1]!))).toEqual({
      name: 'switchboard',
      type: 'http',
      url: endpoint,
      headers,
    });

    const inspector = parseCommand(await snippet('MCP Inspector'));
    expect(inspector).toContain(endpoint);
    expect(inspector.at(-1)).toBe(`Authorization: Bearer ${key}`);

    const curl = parseCommand(await snippet('curl'));
    expect(curl.slice(0, 3)).toEqual(['curl', '-s', endpoint]);
    const body = curl[curl.indexOf('-d') + 1]!;
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    });
    expect(await answer.json()).toMatchObject({ result: { content: [{ type: 'text' }] } });

    expect((await listTools(endpoint, headers)).status).toBe(200);
    await page.getByRole('tab', { name: 'Hosted assistants' }).click();
    await page.getByText('they need OAuth').waitFor();
  });

  it('revokes the key by keyboard, and then offers to make a new key', async () => {
    const { page } = await dashboard.open('/settings/developer');
    await page.getByRole('button', { name: 'Revoke' }).focus();
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Revoke the key?' });
    await question.waitFor();
    await question.getByRole('button', { name: 'Revoke' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No key yet' }).waitFor();
    await page.getByRole('button', { name: 'Make a key' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Your new API key' }).waitFor();
  });

  it('makes a key that only reads and may call only the named tools, and shows its last use', async () => {
    const { page, faults } = await dashboard.open('/settings/developer');
    await page.getByRole('button', { name: 'Replace the key' }).click();
    const question = page.getByRole('alertdialog', { name: 'Replace the key?' });
    await question.getByLabel('Expires').selectOption('30');
    await question.getByLabel('Read only').click();
    await question.getByLabel('Only these tools').fill('search_contact');
    await question.getByRole('button', { name: 'Replace the key' }).click();
    await question.getByRole('alert').filter({ hasText: 'search_contacts' }).waitFor();
    await question.getByLabel('Only these tools').fill('search_contacts');
    await question.getByRole('button', { name: 'Replace the key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new API key' });
    await shown.waitFor();
    const key = KEY.exec((await shown.getByRole('region').textContent()) ?? '')![0];
    await shown.getByRole('button', { name: 'I have stored the key' }).click();
    await page.locator('dd').filter({ hasText: 'Read only' }).waitFor();
    await page.getByText('search_contacts', { exact: true }).waitFor();
    const answer = await listTools(`${dashboard.switchboard.url}/api/mcp`, {
      Authorization: `Bearer ${key}`,
      'User-Agent': 'a client/2.0',
    });
    expect(await answer.json()).toMatchObject({ result: { tools: [{ name: 'search_contacts' }] } });
    await page.reload();
    await page.getByText('a client/2.0').waitFor();
    await page.getByText('127.0.0.1').last().waitFor();
    expect(faults).toEqual([]);
  });
});

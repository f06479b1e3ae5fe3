import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNameServer, type NameServer } from '../outbound/support/name-server.js';
import { type Dashboard, startDashboard } from './support/dashboard.js';

describe('the page of sender domains', () => {
  const records = new Map<string, string>();
  let dashboard: Dashboard;
  let names: NameServer;

  beforeAll(async () => {
    names = await startNameServer(
      () => [],
      (name) => (records.has(name) ? [records.get(name)!] : []),
    );
    dashboard = await startDashboard({ DNS_SERVERS: names.address });
  });
  afterAll(async () => {
    await dashboard.close();
    names.close();
  });

  it('adds a domain, shows its records, verifies it, makes a new key and removes it', async () => {
    const { page, faults } = await dashboard.open('/settings/senders');
    await page.getByRole('button', { name: 'Add a domain' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a domain' });
    await dialog.getByRole('textbox', { name: 'Domain' }).fill('acme');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').filter({ hasText: 'must be a domain' }).first().waitFor();
    await dialog.getByRole('textbox', { name: 'Domain' }).fill('acme.example');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Not verified').waitFor();

    const shown = page.getByRole('region').filter({ has: page.locator('code') });
    const texts = (await shown.allTextContents()).filter((text) => text !== '');
    const at = (part: string): string => texts.find((text) => text.includes(part))!;
    records.set(at('_switchboard.acme.example'), at('switchboard-verification='));
    await page.getByRole('button', { name: 'Look up now acme.example' }).click();
    await page.getByText('Verified', { exact: true }).waitFor();
    await page.getByText('Waits for its record').waitFor();
    records.set(at('_domainkey').toLowerCase(), at('v=DKIM1'));
    await page.getByRole('button', { name: 'Look up now acme.example' }).click();
    await page.getByText('Signs', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'New key acme.example' }).click();
    await page.getByText('Waits for its record').waitFor();
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/senders.png`, fullPage: true });

    await page.getByRole('button', { name: 'Remove acme.example' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There are no sender domains yet').waitFor();
    expect(faults).toEqual([]);
    await page.close();
  });
});

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEml } from '../messaging/parse-eml.js';
import { waitFor } from '../support/wait-for.js';
import { findViolations } from './support/axe.js';
import { type Dashboard, startDashboard } from './support/dashboard.js';

describe('the page that verifies an address', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await startDashboard({ NEW_ORGANIZATION_MESSAGES: '100' });
  });
  afterAll(() => dashboard.close());

  /** Returns the path of the link in the newest mail, after `count` mails were written. */
  const linkOfMail = async (count: number): Promise<string> => {
    const outbox = join(dashboard.switchboard.dataDir, 'outbox');
    const names = await waitFor(async () => {
      const found = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml'));
      return found.length >= count ? found : undefined;
    });
    const mail = parseEml(await readFile(join(outbox, names[0]!), 'utf8'));
    return /\/verify#\w+/.exec(mail.text)![0];
  };

  it('changes nothing until a person signs in and presses the button, and sends the token in no URL', async () => {
    const { email, password } = dashboard.organization;
    const { page, faults } = await dashboard.open(await linkOfMail(1), { isSignedIn: false });
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.reload();
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(`Is ${email} your address?`).waitFor();
    expect(await findViolations(page)).toEqual([]);
    const token = new URL(page.url()).hash.slice(1);
    await page.getByRole('button', { name: 'Confirm the address' }).click();
    await page.getByText(`${email} is confirmed.`).waitFor();
    expect(token).toHaveLength(43);
    expect(requested.filter((url) => url.split('#')[0]!.includes(token))).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('is reached by the link in a mail, and the pages of messages and of the account can send this mail again', async () => {
    await dashboard.switchboard.ownerQuery('update gate.users set verified_email = null');
    await dashboard.switchboard.ownerQuery(`update private.quota_exceptions set set_by = 'sign_up',
      amount = 100 where name = 'messages'`);
    for (const path of ['/messages', '/settings/account']) {
      const { page } = await dashboard.open(path, { colorScheme: 'dark' });
      await page.getByText('is not verified: 100 messages a day').waitFor();
      expect(await findViolations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Send the mail again' }).click();
      await page.getByText(`A mail to ${dashboard.organization.email} is on its way.`).waitFor();
    }
  });

  it('reports that a link was already used, and offers another mail', async () => {
    const { page } = await dashboard.open('/verify#used');
    await page.getByRole('button', { name: 'Confirm the address' }).click();
    await page.getByText('This link is no longer valid').waitFor();
    await page.getByRole('button', { name: 'Send the mail again' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
  });
});

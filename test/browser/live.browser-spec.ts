import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, startDashboard } from './support/dashboard.js';

describe('the dashboard with live data', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.close());

  const add = (name: string): Promise<unknown> =>
    dashboard.organization.call('create_contact', {
      first_name: name,
      email: `${name.toLowerCase()}@example.com`,
    });

  /** Counts the connections that a profile opens. */
  const countConnections = (context: BrowserContext): (() => number) => {
    let count = 0;
    context.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/changes') count += 1;
    });
    return () => count;
  };

  it('shows a change in two tabs with one connection, and in the second tab after the first is closed', async () => {
    const first = await dashboard.open('/nothing');
    const context = first.page.context();
    await first.page.close();
    const connections = countConnections(context);
    const one = await dashboard.open('/contacts', { context });
    await one.page.getByRole('heading', { name: 'No contacts yet' }).waitFor();
    const two = await dashboard.open('/contacts', { context });
    await two.page.getByRole('heading', { name: 'No contacts yet' }).waitFor();
    await add('Ada');
    await one.page.bringToFront();
    await one.page.getByRole('link', { name: 'Ada' }).waitFor();
    await two.page.bringToFront();
    await two.page.getByRole('link', { name: 'Ada' }).waitFor();
    expect(connections()).toBe(1);
    await one.page.close();
    await add('Grace');
    await two.page.getByRole('link', { name: 'Grace' }).waitFor();
    expect(connections()).toBe(2);
    expect([...one.faults, ...two.faults]).toEqual([]);
  });

  it('shows the changes that were made while the browser was offline', async () => {
    await add('Mary');
    const { page } = await dashboard.open('/contacts');
    await page.getByRole('link', { name: 'Mary' }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await add('Joan');
    await page.context().setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Joan' }).waitFor();
  });

  it('marks one of the first steps as done as soon as the organization has done it', async () => {
    const { page } = await dashboard.open('/');
    await page.getByRole('heading', { name: /Send a message/ }).waitFor();
    const done = page.getByRole('heading', { name: /Send a message\s*: done/ });
    expect(await done.count()).toBe(0);
    await add('Dorothy');
    const sent = await dashboard.organization.call('send_message', {
      email: 'dorothy@example.com',
      subject: 'Hello',
      body: 'Hello',
    });
    expect(sent.status).toBe(200);
    await done.waitFor();
  });

  it('asks every tab to sign in when the session ends, and one sign-in is enough', async () => {
    const one = await dashboard.open('/contacts');
    const two = await dashboard.open('/messages', { context: one.page.context() });
    await one.page.locator('h1').waitFor();
    await two.page.locator('h1').waitFor();
    await dashboard.organization.fetch('/api/auth/sign-out', { method: 'POST' });
    const ended = { name: 'Your session has ended' };
    await one.page.getByRole('dialog', ended).waitFor();
    await two.page.bringToFront();
    const question = two.page.getByRole('dialog', ended);
    await question.getByLabel('Password').fill(dashboard.organization.password);
    await two.page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    await one.page.getByRole('dialog', ended).waitFor({ state: 'detached' });
    const { url } = dashboard.switchboard;
    const added = await one.page.context().request.post(`${url}/api/tools/create_contact`, {
      headers: { Origin: url },
      data: { first_name: 'Katherine', email: 'katherine@example.com' },
    });
    expect(added.status()).toBe(200);
    await one.page.bringToFront();
    await one.page.getByRole('link', { name: 'Katherine' }).waitFor();
  });
});

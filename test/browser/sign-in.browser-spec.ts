import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Dashboard, startDashboard } from './support/dashboard.js';

describe('signing in', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.close());

  it('opens the page that the person requested', async () => {
    const { email, password } = dashboard.organization;
    const { page } = await dashboard.open('/settings/account', { isSignedIn: false });
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings/account');
  });

  it('never leads to another site', async () => {
    const { email, password } = dashboard.organization;
    for (const to of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
      const path = `/sign-in?to=${encodeURIComponent(to)}`;
      const { page } = await dashboard.open(path, { isSignedIn: false });
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'First steps' }).waitFor();
      expect(new URL(page.url()).origin).toBe(dashboard.switchboard.url);
    }
  });

  it('says that the password is wrong, and keeps the typed texts', async () => {
    const { page } = await dashboard.open('/sign-in', { isSignedIn: false });
    await page.getByLabel('E-mail address').fill('nobody@example.com');
    await page.getByLabel('Password').fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByText('No account has this e-mail address and password.').waitFor();
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('nobody@example.com');
    expect(await page.getByLabel('Password').getAttribute('aria-invalid')).toBe('true');
  });

  it('creates an organization by keyboard, and shows the faults of its fields first', async () => {
    const { page } = await dashboard.open('/sign-up', { isSignedIn: false });
    await page.getByLabel('Name of the organization').focus();
    await page.keyboard.type('Northwind');
    await page.keyboard.press('Tab');
    await page.keyboard.type(`new.${Date.now()}@example.com`);
    await page.keyboard.press('Tab');
    await page.keyboard.type('short');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'password' }).waitFor();
    await page.keyboard.type(' but long enough now');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await page.getByText('Northwind').first().waitFor();
  });

  it('leaves no draft of a workflow in the browser after the person has signed out', async () => {
    const { email, password } = dashboard.organization;
    const { value } = await dashboard.organization.call<{ workflow: { id: string } }>(
      'create_workflow',
      {
        name: 'Secret plan',
        trigger: { type: 'manual' },
        steps: [{ id: 'one', wait: { seconds: 1 } }],
      },
    );
    const { page } = await dashboard.open(`/workflows/${value.workflow.id}`, { isSignedIn: false });
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).fill('Half done');
    const stored = () => page.evaluate<string>('JSON.stringify(Object.entries(localStorage))');
    await expect.poll(stored).toContain('Half done');
    await page.getByRole('button', { name: dashboard.organization.email }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await stored()).not.toContain('Half done');
  });

  it('is required again when a page is opened after the session ended', async () => {
    const { page } = await dashboard.open('/settings/account');
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    await dashboard.organization.fetch('/api/auth/sign-out', { method: 'POST' });
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).searchParams.get('to')).toBe('/settings/account');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContact } from '../messaging/support.js';
import { findViolations } from './support/axe.js';
import { type Dashboard, startDashboard } from './support/dashboard.js';

describe('contacts', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.close());

  it('are added, found, edited and deleted', async () => {
    const { page, faults } = await dashboard.open('/contacts');
    await page.getByRole('heading', { name: 'No contacts yet' }).waitFor();
    await page.getByRole('button', { name: 'Add a contact' }).click();
    const form = page.getByRole('dialog', { name: 'Add a contact' });
    await form.getByLabel('First name').fill('Ada');
    await form
      .getByRole('textbox', { name: 'E-mail', exact: false })
      .first()
      .fill('not an address');
    await form.getByRole('button', { name: 'Add a contact' }).click();
    await form
      .getByRole('alert')
      .filter({ hasText: /e-mail|email/i })
      .first()
      .waitFor();
    expect(await form.getByLabel('First name').inputValue()).toBe('Ada');
    await form
      .getByRole('textbox', { name: 'E-mail', exact: false })
      .first()
      .fill('ada@example.com');
    await form.getByRole('button', { name: 'Add a contact' }).click();
    await page.getByRole('heading', { name: 'Ada', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit the contact' });
    await edit.getByLabel('Last name').fill('Lovelace');
    await edit.getByRole('button', { name: 'Add to tags' }).click();
    await edit.getByLabel('Tags 1', { exact: true }).fill('vip');
    await edit.getByRole('group', { name: 'Consent' }).getByLabel('sms').selectOption('denied');
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
    await page.getByText('vip').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: /^SMS: deniedDecided by: A person in the dashboard, / })
      .waitFor();
    await page.getByRole('row', { name: /SMS denied A person in the dashboard/ }).waitFor();
    await page.getByText('The contact was changed.').waitFor();
    expect(await findViolations(page)).toEqual([]);

    await page.getByRole('link', { name: 'All contacts' }).click();
    await page.getByRole('searchbox').fill('lovel');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/contacts?q=lovel');
    await page.getByRole('link', { name: 'Ada Lovelace' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No contacts yet' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('have a form that stays open after Escape and a click outside, until the person discards the text', async () => {
    const { page } = await dashboard.open('/contacts');
    const form = page.getByRole('dialog', { name: 'Add a contact' });
    const question = page.getByRole('alertdialog', { name: 'Discard what you typed?' });
    await page.getByRole('button', { name: 'Add a contact' }).first().click();
    await form.waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Add a contact' }).first().click();
    await form.getByLabel('First name').fill('Ada');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await page.mouse.click(5, 5);
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await form.getByLabel('First name').inputValue()).toBe('Ada');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await form.waitFor({ state: 'detached' });
  });

  it('show the workflow, the state and the time of their runs', async () => {
    const { organization } = dashboard;
    const { id } = await createContact(organization);
    const { value } = await organization.call<{ workflow: { id: string } }>('create_workflow', {
      name: 'Ask for a review',
      trigger: { type: 'manual' },
      steps: [{ id: 'pause', wait: { days: 1 } }],
    });
    const given = { workflow_id: value.workflow.id, contact_id: id, payload: {} };
    await organization.call('trigger_workflow', given);
    const { page, faults } = await dashboard.open(`/contacts/${id}`);
    await page.getByRole('row', { name: /^Ask for a review .* ago/ }).waitFor();
    await page.getByRole('row', { name: /^Ask for a review Waiting / }).waitFor();
    await page.getByRole('link', { name: 'Ask for a review' }).click();
    await page.getByRole('heading', { name: 'Run of Ask for a review' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('are filtered by conditions that the address of the page keeps', async () => {
    for (const plan of ['pro', 'free']) {
      const email = `${plan}@example.com`;
      await dashboard.organization.call('create_contact', { email, properties: { plan } });
    }
    const { page } = await dashboard.open('/contacts');
    await page.getByRole('link', { name: 'pro@example.com' }).waitFor();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Field').selectOption('properties.');
    await page.getByLabel('Name of the property').fill('plan');
    await page.getByLabel('Condition', { exact: true }).selectOption('equals');
    await page.getByLabel('Value').fill('pro');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('link', { name: 'free@example.com' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'pro@example.com' }).waitFor();
    expect(await page.getByLabel('Value').inputValue()).toBe('pro');
    expect(await page.getByRole('link', { name: 'free@example.com' }).count()).toBe(0);
    await page.getByLabel('Field').selectOption('consent.email');
    await page.getByLabel('Condition', { exact: true }).selectOption('not_equals');
    await page.getByLabel('Value').selectOption('denied');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('link', { name: 'free@example.com' }).waitFor();
  });

  it('keep the typed text when the session ends, and are saved after the person signs in again', async () => {
    const { page } = await dashboard.open('/contacts');
    await page.getByRole('button', { name: 'Add a contact' }).click();
    await page.getByLabel('First name').fill('Grace');
    await page.getByLabel('External id').fill('crm-7');
    await dashboard.organization.fetch('/api/auth/sign-out', { method: 'POST' });
    await page
      .getByRole('dialog', { name: 'Add a contact' })
      .getByRole('button', { name: 'Add a contact' })
      .click();
    const ended = page.getByRole('dialog', { name: 'Your session has ended' });
    await ended.getByLabel('Password').fill(dashboard.organization.password);
    await page.keyboard.press('Enter');
    await ended.waitFor({ state: 'detached' });
    expect(await page.getByLabel('First name').inputValue()).toBe('Grace');
    await page
      .getByRole('dialog', { name: 'Add a contact' })
      .getByRole('button', { name: 'Add a contact' })
      .click();
    await page.getByRole('heading', { name: 'Grace' }).waitFor();
  });
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { type Dashboard, type OpenPage, sharedDashboard } from './support/dashboard.js';

const MARKUP = '<img src=x onerror=hit=1>';
/** A name that a browser would show with its end before its beginning, and that contains an invisible character. */
const NAME = `${MARKUP}\u202e\u2066live\u200b`;
const CODES = '⟨U+202E⟩⟨U+2066⟩live⟨U+200B⟩';
const RAW = /[\u200b\u202a-\u202e\u2066-\u2069]/;
const NARROW = 360;

interface Ids {
  contact: string;
  message: string;
  workflow: string;
  run: string;
  failed: string;
}

/** Returns a value with the given number of nested levels. */
function nested(depth: number): unknown {
  return Array.from({ length: depth }).reduce<unknown>((inner) => ({ in: inner }), 'bottom');
}

describe('text from outside', () => {
  let dashboard: Dashboard;
  let opened: OpenPage;
  let ids: Ids;

  const create = async (tool: string, given: object): Promise<Record<string, { id: string }>> => {
    const { value, error } = await dashboard.organization.call<Record<string, { id: string }>>(
      tool,
      given,
    );
    if (error) throw new Error(`${tool}: ${JSON.stringify(error)}`);
    return value;
  };
  const start = async (workflowId: string, payload: object): Promise<string> => {
    const { value } = await dashboard.organization.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflowId,
      payload,
    });
    await waitFor(async () => {
      const given = { run_id: value.run_id };
      const run = await dashboard.organization.call<{ run: { finished_at: string | null } }>(
        'get_run',
        given,
      );
      return run.value.run.finished_at;
    });
    return value.run_id;
  };
  const show = async (path: string): Promise<Page> => {
    const { page } = opened;
    await page.goto(dashboard.switchboard.url + path);
    return page;
  };

  beforeAll(async () => {
    dashboard = await sharedDashboard();
    const { contact } = await create('create_contact', {
      email: 'mallory@example.com',
      first_name: NAME,
      external_id: NAME,
      tags: [NAME],
      properties: { note: NAME, line: 'x'.repeat(1000) },
    });
    const { message } = await create('send_message', {
      contact_id: contact!.id,
      subject: 'Hello',
      body: `${NAME}\n${'x'.repeat(200_000)}`,
    });
    // send_message refuses this subject now, but messages of earlier versions may have it.
    await dashboard.switchboard.ownerQuery('update messages set subject = $1 where id = $2', [
      NAME,
      message!.id,
    ]);
    const { workflow } = await create('create_workflow', {
      name: NAME,
      trigger: { type: 'manual' },
      steps: [
        { id: 'find', tool: 'search_contacts', arguments: { query: '{{ trigger.payload.q }}' } },
        { id: 'add', if: `trigger.payload.q != '${NAME}'`, then: [] },
        {
          id: 'refused',
          tool: 'create_contact',
          arguments: { email: '{{ trigger.payload.email }}' },
          on_error: 'continue',
        },
      ],
    });
    const failing = await create('create_workflow', {
      name: 'Failing',
      trigger: { type: 'manual' },
      steps: [{ id: 'end', stop: 'failed', reason: NAME }],
    });
    await dashboard.organization.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_contact', arguments: { contact_id: NAME } },
    });
    ids = {
      contact: contact!.id,
      message: message!.id,
      workflow: workflow!.id,
      run: await start(workflow!.id, { q: 'mallory', [NAME]: NAME, email: NAME }),
      failed: await start(failing.workflow!.id, {}),
    };
    opened = await dashboard.open('/nothing', { viewport: { width: NARROW, height: 800 } });
  });
  afterAll(() => dashboard.close());

  it.each<[string, (of: Ids) => string, boolean]>([
    ['the list of contacts', () => '/contacts', true],
    ['a contact', (of) => `/contacts/${of.contact}`, true],
    ['the list of messages', () => '/messages', true],
    ['a message', (of) => `/messages/${of.message}`, true],
    ['the list of workflows', () => '/workflows', true],
    ['a workflow', (of) => `/workflows/${of.workflow}`, true],
    ['the versions of a workflow', (of) => `/workflows/${of.workflow}?tab=versions`, true],
    ['the list of runs', () => '/runs', true],
    ['a run', (of) => `/runs/${of.run}`, true],
    ['a run that ended with such a reason', (of) => `/runs/${of.failed}`, true],
    ['the log of calls', () => '/settings/developer/calls?who=everybody', false],
    ['the audit log', () => '/settings/audit', false],
  ])(
    'is shown by %s as text, with codes for invisible characters',
    async (_page, pathOf, hasName) => {
      const page = await show(pathOf(ids));
      const main = page.locator('main');
      await main.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      if (hasName) await main.getByText(CODES).filter({ visible: true }).first().waitFor();
      else await main.getByRole('row').nth(1).waitFor();
      for (const details of await main.locator('details').all()) {
        const isClosed = (await details.getAttribute('open')) === null;
        if (isClosed) await details.locator('summary').click();
      }
      expect(await main.innerText()).not.toMatch(RAW);
      expect(await page.title()).not.toMatch(RAW);
      expect(await main.locator('img, script').count()).toBe(0);
      expect(await page.evaluate('"hit" in window')).toBe(false);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        NARROW,
      );
      expect(opened.faults).toEqual([]);
    },
  );

  it('has its invisible characters listed as codes beside a field, because the field cannot show them', async () => {
    const page = await show(`/contacts/${ids.contact}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const field = page.getByLabel('First name');
    await page
      .getByRole('dialog', { name: 'Edit the contact' })
      .getByText('This contains invisible characters:')
      .first()
      .waitFor();
    expect(await field.inputValue()).toBe(NAME);
    expect(opened.faults).toEqual([]);
  });

  it('has codes in place of invisible characters in the JSON editor, and the JSON keeps the characters', async () => {
    const page = await show(`/workflows/${ids.workflow}`);
    await page.getByRole('tab', { name: 'JSON' }).click();
    const editor = page.getByRole('textbox', { name: 'Definition (JSON)' });
    await editor.getByText('⟨U+202E⟩').first().waitFor();
    expect(await editor.innerText()).not.toMatch(RAW);
    await page.getByText('Everything is saved.').waitFor();
  });

  it('with one line of 1 MB, or with 200 levels, is cut until the person asks for all of it', async () => {
    const line = 'x'.repeat(1_000_000);
    // The service cuts such values itself. The page must not depend on that.
    await opened.page.route('**/api/tools/get_run', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { run: { trigger: object; steps: object[] } };
      const { trigger, steps } = answer.run;
      answer.run.trigger = { ...trigger, payload: nested(200) };
      answer.run.steps = [{ ...steps[0], output: { line } }];
      await route.fulfill({ response, json: answer });
    });
    const page = await show(`/runs/${ids.run}`);
    const payload = page.getByRole('region', { name: 'Payload' });
    await payload.getByText('{…}').waitFor();
    const figure = page.getByRole('figure').filter({ has: payload });
    await figure.getByRole('button', { name: /Show all/ }).click();
    await payload.getByText('bottom').waitFor();
    expect(JSON.parse((await payload.textContent())!)).toEqual(nested(200));

    await page.getByText('Details').click();
    const output = page.getByRole('region', { name: 'Output: find' });
    await output.waitFor();
    expect((await output.textContent())!.length).toBeLessThan(3000);
    const long = page.getByRole('figure').filter({ has: output });
    await long.getByRole('button', { name: /Show all/ }).click();
    await long.getByRole('button', { name: 'Show less' }).waitFor();
    expect(JSON.parse((await output.textContent())!)).toEqual({ line });
    // With `content-visibility: auto`, the browser computes the layout of the visible parts only.
    const parts = await page.evaluate<string[]>(
      `[...document.querySelectorAll('[aria-label="Output: find"] span')]
        .map((part) => getComputedStyle(part).contentVisibility)`,
    );
    expect(parts.length).toBeGreaterThan(40);
    expect(new Set(parts)).toEqual(new Set(['auto']));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(NARROW);
    await long.getByRole('button', { name: 'Show less' }).click();
    await long.getByRole('button', { name: /Show all/ }).waitFor();
    expect(opened.faults).toEqual([]);
    await page.unroute('**/api/tools/get_run');
  });
});

import { setTimeout } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findViolations } from './support/axe.js';
import { type Dashboard, startDashboard } from './support/dashboard.js';

interface Saved {
  workflow: { id: string; name: string; version: number; steps: Record<string, unknown>[] };
}

describe('the editor of workflows', () => {
  let dashboard: Dashboard;

  const create = async (steps: object[]): Promise<string> => {
    const { value, error } = await dashboard.organization.call<Saved>('create_workflow', {
      name: 'Edit me',
      trigger: { type: 'manual' },
      steps,
    });
    if (error) throw new Error(JSON.stringify(error));
    return value.workflow.id;
  };
  const read = async (workflowId: string): Promise<Saved['workflow']> => {
    const { value } = await dashboard.organization.call<Saved>('get_workflow', {
      workflow_id: workflowId,
    });
    return value.workflow;
  };

  beforeAll(async () => {
    dashboard = await startDashboard({ CODE_STEPS: 'on' });
  });
  afterAll(() => dashboard.close());

  it('adds, edits, moves and removes steps by keyboard, undoes a change, and saves', async () => {
    const id = await create([
      { id: 'one', wait: { seconds: 1 } },
      { id: 'two', if: 'trigger.payload.a', then: [], else: [] },
    ]);
    const { page, faults } = await dashboard.open(`/workflows/${id}`);
    const focused = page.locator('[role=treeitem]:focus');
    await page.getByRole('treeitem').first().focus();
    await page.keyboard.press('ArrowDown');
    await focused.filter({ hasText: 'one' }).waitFor();
    await page.keyboard.press('Insert');
    await page.getByLabel('Find a kind of step or a tool').waitFor();
    await page.keyboard.type('create_contact');
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'create_contact', exact: true }).waitFor();
    const email = page.getByRole('textbox', { name: /^email/ });
    await email.fill('ada@example.com');
    const added = page.getByRole('treeitem', { name: 'create_contact', selected: true });
    await added.focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.locator('[data-path="steps[0]"]:focus', { hasText: 'create_contact' }).waitFor();
    await page.getByRole('treeitem').filter({ hasText: 'one' }).click();
    await page.keyboard.press('Delete');
    await page.getByRole('treeitem').filter({ hasText: 'one' }).waitFor({ state: 'detached' });
    await page.getByRole('treeitem').first().focus();
    await page.keyboard.press('Control+z');
    await page.getByRole('treeitem').filter({ hasText: 'one' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Everything is saved.').waitFor();
    const saved = await read(id);
    expect(saved.steps.map((step) => step.id)).toEqual(['create_contact', 'one', 'two']);
    expect(saved.steps[0]!.arguments).toEqual({ email: 'ada@example.com' });
    expect(faults).toEqual([]);
  });

  it('adds a step that answers the sender, and edits its status, type, body and headers', async () => {
    const id = await create([{ id: 'one', wait: { seconds: 1 } }]);
    const { page, faults } = await dashboard.open(`/workflows/${id}`);
    await page.getByRole('treeitem').filter({ hasText: 'one' }).click();
    await page.keyboard.press('Insert');
    await page.getByLabel('Find a kind of step or a tool').waitFor();
    await page.keyboard.type('Answer the webhook');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('group', { name: 'respond', exact: true });
    await panel.getByLabel('Status').fill('99');
    await page.getByRole('button', { name: 'Save' }).click();
    await panel.getByText('must be a whole number from 200 to 599', { exact: false }).waitFor();
    await panel.getByLabel('Status').fill('201');
    await panel.getByLabel('Type of the body').selectOption('XML');
    await panel.getByLabel('Body', { exact: true }).fill('<Response/>');
    await panel.getByLabel('Headers').fill('{"x-run": "{{ run.id }}"}');
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Everything is saved.').waitFor();
    expect((await read(id)).steps[1]).toEqual({
      id: 'respond',
      respond: {
        status: 201,
        type: 'xml',
        body: '<Response/>',
        headers: { 'x-run': '{{ run.id }}' },
      },
    });
    expect(faults).toEqual([]);
  });

  it('adds steps that run when the run has failed, and shows them in the outline, on the canvas and in the run', async () => {
    const id = await create([{ id: 'enough', stop: 'failed', reason: 'No stock.' }]);
    const { page, faults } = await dashboard.open(`/workflows/${id}`);
    await page.getByRole('treeitem', { name: 'if the run fails' }).click();
    await page.keyboard.press('Insert');
    await page.getByLabel('Find a kind of step or a tool').waitFor();
    await page.keyboard.type('search_contacts');
    await page.keyboard.press('Enter');
    await page.locator('[data-path="on_failure[0]"]', { hasText: 'search_contacts' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Everything is saved.').waitFor();
    expect(await read(id)).toMatchObject({
      steps: [{ id: 'enough' }],
      on_failure: [{ id: 'search_contacts', tool: 'search_contacts' }],
    });
    await page.getByRole('tab', { name: 'Canvas' }).click();
    await page.locator('[data-id="on_failure"]', { hasText: 'if the run fails' }).waitFor();
    await page.locator('[data-id="on_failure[0]"]', { hasText: 'search_contacts' }).waitFor();
    const { value } = await dashboard.organization.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: id,
    });
    const run = await dashboard.open(`/runs/${value.run_id}`);
    await run.page.getByText('The run has failed. The steps after this one run').waitFor();
    expect([...faults, ...run.faults]).toEqual([]);
  });

  it('adds a race, and shows its lists in the outline and on the canvas', async () => {
    const id = await create([{ id: 'one', wait: { seconds: 1 } }]);
    const { page, faults } = await dashboard.open(`/workflows/${id}`);
    await page.getByRole('treeitem').filter({ hasText: 'one' }).click();
    await page.keyboard.press('Insert');
    await page.getByLabel('Find a kind of step or a tool').waitFor();
    await page.keyboard.type('Race');
    await page.keyboard.press('Enter');
    await page.locator('[data-path="steps[1].race[1][0]"]').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Everything is saved.').waitFor();
    const saved = await read(id);
    expect(saved.steps[1]!.race).toHaveLength(2);
    await page.getByRole('tab', { name: 'Canvas' }).click();
    await page.locator('[data-id="steps[1].race[0][0]"]').waitFor();
    expect(faults).toEqual([]);
  });

  it('moves steps on the canvas by mouse, also into branches, and refuses forbidden places', async () => {
    const id = await create([
      { id: 'one', wait: { seconds: 1 } },
      { id: 'choice', if: 'trigger.payload.a', then: [{ id: 'yes', wait: { days: 1 } }], else: [] },
      { id: 'each', for_each: '{{ trigger.payload.a }}', steps: [{ id: 'in', wait: { days: 1 } }] },
    ]);
    const { page, faults } = await dashboard.open(`/workflows/${id}`);
    await page.getByRole('tab', { name: 'Canvas' }).click();
    const lines = page.locator('.react-flow__edge-path');
    await lines.nth(5).waitFor({ state: 'attached' });
    expect(await lines.count()).toBe(6);
    const labels = page.locator('.react-flow__viewport-portal text');
    expect(await labels.allTextContents()).toEqual(['then', 'else', 'for each item']);
    const card = (name: string) => page.locator('.react-flow__node', { hasText: name });
    // The canvas can move while faults appear above it, and a busy browser merges several moves of the mouse into one.
    // So the test moves the mouse until the page shows where the step would go.
    const hold = async (name: string, over: string, above: number, shown: Locator) => {
      await card(name).hover();
      await page.mouse.down();
      for (let move = 1; move <= 60; move += 1) {
        const box = await card(over).boundingBox();
        if (!box) throw new Error(`${over} is not on the page`);
        const x = box.x + box.width / 2 + (move % 2);
        await page.mouse.move(x, box.y + box.height / 2 - above, { steps: 5 });
        if (await shown.isVisible()) return;
        await setTimeout(100);
      }
      throw new Error(`The page does not show where ${name} would go`);
    };
    await hold('one', 'empty', 0, page.locator('[data-refused="false"]'));
    await page.mouse.up();
    await page.getByRole('status').filter({ hasText: 'The step one was moved.' }).waitFor();
    expect(await card('empty').count()).toBe(0);
    await page.locator('[data-id="steps[0].else[0]"]', { hasText: 'one' }).waitFor();

    await hold('choice', 'yes', 30, page.getByText('A step cannot be moved into itself.'));
    await page.mouse.up();
    await hold('in', 'yes', 30, page.getByText('This list needs a step.').first());
    await page.mouse.up();
    await page.getByRole('status').filter({ hasText: 'This list needs a step.' }).waitFor();

    await page.getByRole('button', { name: 'Undo' }).click();
    await card('empty').waitFor();
    await page.getByRole('button', { name: 'Redo' }).click();
    await card('empty').waitFor({ state: 'detached' });
    await page.locator('[data-id="steps[1]"]').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.locator('[data-id="steps[0]"]:focus', { hasText: 'each' }).waitFor();
    await page.keyboard.press('Alt+Shift+ArrowDown');
    await page.locator('[data-id="steps[0].then[0]"]:focus', { hasText: 'each' }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Everything is saved.').waitFor();
    const [choice, ...rest] = (await read(id)).steps;
    expect(rest).toEqual([]);
    expect(choice).toMatchObject({
      id: 'choice',
      then: [{ id: 'each', steps: [{ id: 'in' }] }, { id: 'yes' }],
      else: [{ id: 'one' }],
    });
    expect(faults).toEqual([]);
  });

  it('offers the outputs of earlier steps', async () => {
    const id = await create([
      { id: 'person', tool: 'create_contact', arguments: { email: 'a@example.com' } },
      { id: 'look', tool: 'get_contact', arguments: { contact_id: 'x' } },
    ]);
    const { page } = await dashboard.open(`/workflows/${id}`);
    await page.getByRole('treeitem').filter({ hasText: 'look' }).click();
    await page.getByRole('textbox', { name: /^contact_id/ }).fill('');
    await page.getByRole('button', { name: 'Insert an earlier output into contact_id' }).click();
    await page.getByLabel('Find an output').fill('person.contact.id');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Everything is saved.').waitFor();
    expect((await read(id)).steps[1]!.arguments).toEqual({
      contact_id: '{{ person.contact.id }}',
    });
  });

  it('offers secrets only to steps that call other systems', async () => {
    const secrets = [
      { name: 'api_token', kind: 'value', secret: 's1', hosts: ['api.example.com'] },
      { name: 'login', kind: 'basic', username: 'u', secret: 's2', hosts: ['api.example.com'] },
    ];
    for (const secret of secrets) await dashboard.organization.call('set_secret', secret);
    const id = await create([
      { id: 'ask', tool: 'http_request', arguments: { url: 'https://api.example.com' } },
      { id: 'look', tool: 'get_contact', arguments: { contact_id: 'x' } },
    ]);
    const { page } = await dashboard.open(`/workflows/${id}`);
    const pick = page.getByRole('button', { name: 'Use a secret' });
    await page.getByRole('treeitem').filter({ hasText: 'look' }).click();
    await page.getByRole('group', { name: 'look', exact: true }).waitFor();
    expect(await pick.count()).toBe(0);
    await page.getByRole('treeitem').filter({ hasText: 'ask' }).click();
    for (const { name } of secrets) {
      await pick.click();
      await page.getByLabel('Find a secret').fill(name);
      await page.keyboard.press('Enter');
    }
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Everything is saved.').waitFor();
    expect((await read(id)).steps[0]!.arguments).toEqual({
      url: 'https://api.example.com',
      credential: 'login',
      headers: { Authorization: 'Bearer {{ secrets.api_token }}' },
    });
  });

  it('shows the faults that the service returns, at their fields and at their places in the JSON', async () => {
    const id = await create([{ id: 'look', tool: 'get_contact', arguments: { contact_id: 'x' } }]);
    const { page, faults } = await dashboard.open(`/workflows/${id}`);
    await page.getByRole('treeitem').filter({ hasText: 'look' }).click();
    await page.getByLabel('Condition').fill('trigger.payload.a ==');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('treeitem').getByText('1 fault').waitFor();
    expect(await page.getByLabel('Condition').getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('tab', { name: 'JSON' }).click();
    const editor = page.getByRole('textbox', { name: 'Definition (JSON)' });
    await editor.waitFor();
    await page.locator('.cm-lintRange-error').filter({ hasText: 'trigger.payload.a ==' }).waitFor();
    await editor.fill('{"name": "Written", "trigger": {"type": "manual"}, "steps": [');
    await page.getByText('This is not a valid definition yet.').waitFor();
    await editor.fill(
      '{"name": "Written", "trigger": {"type": "manual"}, "steps": [{"id": "w", "wait": {"days": 1}}]}',
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Written' }).waitFor();
    expect((await read(id)).steps).toEqual([{ id: 'w', wait: { days: 1 } }]);
    expect(faults).toEqual([]);
  });

  it('edits the JavaScript of a code step, and marks the place of a fault', async () => {
    const id = await create([{ id: 'pause', wait: { seconds: 1 } }]);
    const { page, faults } = await dashboard.open(`/workflows/${id}`);
    await page.getByRole('treeitem').filter({ hasText: 'pause' }).click();
    await page.keyboard.press('Insert');
    await page.getByLabel('Find a kind of step or a tool').waitFor();
    await page.keyboard.type('Code');
    await page.keyboard.press('Enter');
    const editor = page.getByRole('textbox', { name: 'JavaScript' });
    await editor.waitFor();
    // Does not use `fill`. When it replaces coloured text, Chromium tries to add inline styles, which the policy
    // forbids.
    const write = async (code: string): Promise<void> => {
      await editor.press('ControlOrMeta+a');
      await editor.press('Delete');
      await page.keyboard.insertText(code);
    };
    await write('const a = 1;\nreturn {{ a }};');
    await page.getByRole('button', { name: 'Save' }).click();
    const panel = page.getByRole('group', { name: 'code', exact: true });
    await panel.getByRole('alert').filter({ hasText: 'line 2, column' }).waitFor();
    await page.locator('.cm-line', { hasText: 'return' }).locator('.cm-lintRange-error').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await write('return { a: input.a };');
    await page.getByRole('textbox', { name: 'Input' }).fill('{"a": "{{ run.id }}"}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Everything is saved.').waitFor();
    expect((await read(id)).steps[1]).toEqual({
      id: 'code',
      code: 'return { a: input.a };',
      input: { a: '{{ run.id }}' },
    });
    expect(faults).toEqual([]);
  });

  it('completes members, values, tools and their arguments by the schema, and marks unknown names', async () => {
    const id = await create([{ id: 'one', wait: { seconds: 1 } }]);
    const { page, faults } = await dashboard.open(`/workflows/${id}`);
    await page.getByRole('tab', { name: 'JSON' }).click();
    const editor = page.getByRole('textbox', { name: 'Definition (JSON)' });
    await editor.waitFor();
    const offered = page.locator('.cm-tooltip-autocomplete li');
    const start = '{"name": "Typed", "trigger": {"type": "manual"}, "steps": [{"id": "a", ';
    await editor.fill(`${start}}]}`);
    await page.keyboard.press('Control+End');
    for (let left = 0; left < 3; left += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('"to');
    await page.locator('.cm-completionInfo', { hasText: 'Name of the tool' }).waitFor();
    // The editor ignores Enter shortly after its list has opened. So Enter would not always work here.
    await offered.filter({ hasText: /^tool$/ }).click();
    await page.keyboard.type('"create_c');
    await offered.filter({ hasText: /^create_contact$/ }).click();
    await page.keyboard.type(', "arg');
    await offered.filter({ hasText: /^arguments$/ }).click();
    await page.keyboard.type('{"first');
    await offered.filter({ hasText: /^first_name$/ }).click();
    await page.keyboard.type('"Ada", "emial": "ada@example.com"}');
    await page
      .getByText('emial is not known here.')
      .or(page.locator('.cm-lintRange-warning'))
      .first()
      .waitFor();
    expect(await page.locator('.cm-lintRange-warning').allTextContents()).toEqual(['"emial"']);
    await page.locator('.cm-line').getByText('"create_contact"').hover();
    await page.locator('.json-about', { hasText: 'contact' }).waitFor();

    await editor.fill(`${start}"stop": }]}`);
    await page.keyboard.press('Control+End');
    for (let left = 0; left < 3; left += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+Space');
    await offered.filter({ hasText: /^failed$/ }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Everything is saved.').waitFor();
    expect((await read(id)).steps).toEqual([{ id: 'a', stop: 'failed' }]);
    expect(faults).toEqual([]);
  });

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)(
    'has no accessibility violation in any view, %s, %i px',
    async (colorScheme, width) => {
      const id = await create([
        { id: 'person', tool: 'create_contact', arguments: { email: 'a@example.com' } },
        {
          id: 'choice',
          if: 'trigger.payload.a',
          then: [{ id: 'yes', wait: { days: 1 } }],
          else: [{ id: 'no', stop: 'failed' }],
        },
      ]);
      const { page, faults } = await dashboard.open(`/workflows/${id}`, {
        colorScheme,
        viewport: { width, height: 800 },
      });
      await page.getByRole('treeitem').filter({ hasText: 'person' }).click();
      await page.getByRole('group', { name: 'person', exact: true }).waitFor();
      expect(await findViolations(page)).toEqual([]);
      await page.getByRole('tab', { name: 'JSON' }).click();
      await page.getByRole('textbox', { name: 'Definition (JSON)' }).waitFor();
      expect(await findViolations(page)).toEqual([]);
      await page.getByRole('tab', { name: 'Canvas' }).click();
      await page.locator('[data-id="steps[1].else[0]"]').waitFor();
      expect(await findViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        width,
      );
      await page.locator('[data-id="steps[1].then[0]"]').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('group', { name: 'yes', exact: true }).waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    },
  );

  it('asks before a person leaves it, and shows the draft when the person returns', async () => {
    const id = await create([{ id: 'one', wait: { seconds: 1 } }]);
    const { page } = await dashboard.open(`/workflows/${id}`);
    await page.getByRole('textbox', { name: 'Name' }).fill('Half done');
    await page.getByRole('link', { name: 'All workflows' }).click();
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Half done');
    await page.getByRole('link', { name: 'All workflows' }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('link', { name: 'Edit me' }).first().waitFor();
    await page.goto(`${dashboard.switchboard.url}/workflows/${id}`);
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Half done');
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Discard the changes' })
      .click();
    await page.getByText('Everything is saved.').waitFor();
    expect((await read(id)).name).toBe('Edit me');
  });

  it('shows both versions when somebody else has saved the workflow in the meantime', async () => {
    const id = await create([{ id: 'one', wait: { seconds: 1 } }]);
    const { page } = await dashboard.open(`/workflows/${id}`);
    // The page does not know of the other version before it saves.
    await page.route('**/api/changes', (route) => route.abort());
    await page.reload();
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
    await dashboard.organization.call('update_workflow', { workflow_id: id, name: 'Theirs' });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Somebody saved another version' });
    await dialog.getByRole('region', { name: 'Yours' }).getByText('Mine').waitFor();
    await dialog.getByRole('region', { name: 'Saved: version 2' }).getByText('Theirs').waitFor();
    expect((await read(id)).name).toBe('Theirs');
    await dialog.getByRole('button', { name: 'Save mine as the newest' }).click();
    await page.getByRole('heading', { name: 'Mine' }).waitFor();
    expect(await read(id)).toMatchObject({ name: 'Mine', version: 3 });
  });
});

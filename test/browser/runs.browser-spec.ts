import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait-for.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

interface RunAnswer {
  run: { status: string; steps: { id: string }[]; workflow_id: string; replay_of: string | null };
}

const BIG = 'x'.repeat(150_000);

describe('runs', () => {
  let dashboard: Dashboard;

  const create = async (name: string, steps: object[]): Promise<string> => {
    const { value, error } = await dashboard.organization.call<{ workflow: { id: string } }>(
      'create_workflow',
      { name, trigger: { type: 'manual' }, steps },
    );
    if (error) throw new Error(JSON.stringify(error));
    return value.workflow.id;
  };
  const start = async (workflowId: string, payload: object): Promise<string> => {
    const { value } = await dashboard.organization.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflowId,
      payload,
    });
    return value.run_id;
  };
  const statusIs = (runId: string, status: string): Promise<RunAnswer['run']> =>
    waitFor(async () => {
      const { value } = await dashboard.organization.call<RunAnswer>('get_run', { run_id: runId });
      return value.run.status === status ? value.run : undefined;
    });

  beforeAll(async () => {
    dashboard = await sharedDashboard();
  });
  afterAll(() => dashboard.close());

  it('are filtered by the filters in the address, and opened by keyboard', async () => {
    const hello = await create('Hello', [
      { id: 'person', tool: 'create_contact', arguments: { email: '{{ trigger.payload.email }}' } },
    ]);
    const good = await start(hello, { email: 'ada@example.com' });
    const bad = await start(hello, { email: 'no address' });
    await statusIs(good, 'succeeded');
    await statusIs(bad, 'failed');
    const { page, faults } = await dashboard.open('/runs');
    await page.locator('tbody tr').nth(1).waitFor();
    await page.getByLabel('State').selectOption('failed');
    await page.waitForURL('**/runs?status=failed');
    await page.getByRole('cell', { name: 'The step person failed' }).waitFor();
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
    await page.getByText('More filters').click();
    await page.getByLabel('Reason').selectOption('The step person failed');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL('**/runs?status=failed&reason=step_failed%3Aperson');
    await page.getByRole('cell', { name: 'The step person failed' }).waitFor();
    await page.getByLabel('Reason').selectOption('A step stopped the run');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('heading', { name: 'No run matches' }).waitFor();
    await page.reload();
    expect(await page.getByLabel('Reason').inputValue()).toBe('stopped');
    await page.getByRole('button', { name: 'Remove the filters' }).click();
    await page.locator('tbody tr').nth(1).waitFor();

    await page.getByRole('link', { name: 'Hello' }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Run of Hello' }).waitFor();
    await page.getByRole('definition').filter({ hasText: 'The step person failed' }).waitFor();
    await page
      .getByRole('listitem')
      .getByText(/^Invalid: /)
      .waitFor();
    await page.getByRole('region', { name: 'Error: person' }).waitFor();
    await page.getByText('"no address"').first().waitFor();
    await page.getByRole('link', { name: 'Hello' }).click();
    await page.waitForURL(`**/workflows/${hello}`);
    expect(faults).toEqual([]);
  });

  it('show the name of a workflow that is not on the first page of workflows', async () => {
    const oldest = await create('The oldest', [{ id: 'pause', wait: { days: 1 } }]);
    await create('A newer one', [{ id: 'pause', wait: { days: 1 } }]);
    await start(oldest, {});
    const { page } = await dashboard.open('/nothing');
    // Reduces each page to one workflow, so that two workflows need two pages.
    await page.route('**/list_workflows', (route) =>
      route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), limit: 1 }) }),
    );
    await page.goto(`${dashboard.switchboard.url}/runs`);
    await page.locator('tbody').getByRole('link', { name: 'The oldest' }).waitFor();
    await page
      .getByLabel('Workflow')
      .locator('option', { hasText: 'The oldest' })
      .waitFor({ state: 'attached' });
  });

  it('are replayed with an edited payload, which stays in the editor when the payload is not JSON', async () => {
    const id = await create('Edit', [
      { id: 'person', tool: 'create_contact', arguments: { email: '{{ trigger.payload.email }}' } },
    ]);
    const failed = await start(id, { email: 'wrong' });
    await statusIs(failed, 'failed');
    const { page } = await dashboard.open(`/runs/${failed}`);
    await page.getByRole('button', { name: 'Replay' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay this run' });
    await dialog.getByLabel('Payload (JSON)').fill('{"email": "right@example.com"');
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await dialog.getByText('This is not a JSON object.').waitFor();
    await dialog.getByLabel('Payload (JSON)').press('End');
    await dialog.getByLabel('Payload (JSON)').pressSequentially('}');
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(failed));
    const edited = await statusIs(new URL(page.url()).pathname.split('/').at(-1)!, 'succeeded');
    expect(edited.replay_of).toBe(failed);

    await page.goto(`${dashboard.switchboard.url}/runs/${failed}`);
    await page.getByRole('button', { name: 'Replay' }).click();
    await dialog.getByLabel('Version of the workflow').selectOption('same');
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(failed));
    const copy = await statusIs(new URL(page.url()).pathname.split('/').at(-1)!, 'failed');
    expect(copy.replay_of).toBe(failed);
  });

  it('are retried from the failed step, and canceled while they wait', async () => {
    const id = await create('Repair', [
      { id: 'first', tool: 'search_contacts' },
      {
        id: 'second',
        tool: 'get_contact',
        arguments: { contact_id: '{{ trigger.payload.contact_id }}' },
      },
      { id: 'pause', wait: { days: 1 } },
    ]);
    const failed = await start(id, { contact_id: 'cnt_unknown' });
    await statusIs(failed, 'failed');
    const { page } = await dashboard.open(`/runs/${failed}`);
    await page.getByRole('button', { name: 'Retry from the failed step' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Retry from the failed step' }).click();
    await question.waitFor({ state: 'detached' });
    await statusIs(failed, 'failed');

    const { value } = await dashboard.organization.call<{ contact: { id: string } }>(
      'create_contact',
      { email: 'wait@example.com' },
    );
    const waiting = await start(id, { contact_id: value.contact.id });
    await statusIs(waiting, 'waiting');
    await page.goto(`${dashboard.switchboard.url}/runs/${waiting}`);
    await page.getByText(/^Waits until \d/).waitFor();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await question.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByRole('button', { name: 'Cancel the run' }).waitFor({ state: 'detached' });
    await statusIs(waiting, 'canceled');
  });

  it('say what they wait for', async () => {
    const timeout = { days: 3 };
    const first = await create('First', [
      { id: 'reply', wait_for_event: { events: ['message.received', 'custom.paid'], timeout } },
    ]);
    const second = await create('Second', [{ id: 'first', run_workflow: first }]);
    const link = await create('Link', [{ id: 'go', wait_for_event: { event: 'resume', timeout } }]);
    const parent = await start(second, {});
    const resumed = await start(link, {});
    await statusIs(parent, 'waiting');
    await statusIs(resumed, 'waiting');
    const { page, faults } = await dashboard.open(`/runs/${parent}`);
    const steps = page.getByRole('main').locator('ol > li');
    await page.getByText('Waits for an event or another run').waitFor();
    await steps.filter({ hasText: /Waits for the run run_\w+ until/ }).waitFor();
    await steps.getByRole('link').click();
    await page.getByRole('heading', { name: 'Run of First' }).waitFor();
    await steps.filter({ hasText: /Waits for message.received or custom.paid until/ }).waitFor();
    await page.goto(`${dashboard.switchboard.url}/runs/${resumed}`);
    await steps.filter({ hasText: /Waits for a call of its resume URL until/ }).waitFor();
    expect(faults).toEqual([]);
  });

  it('show a large value completely, as text, when the person asks for it', async () => {
    const id = await create('Large', [{ id: 'look', tool: 'search_contacts' }]);
    const run = await start(id, { markup: '<img src=x onerror=alert(1)>', big: BIG });
    await statusIs(run, 'succeeded');
    const { page, faults } = await dashboard.open(`/runs/${run}`);
    const payload = page.getByRole('region', { name: 'Payload' });
    await payload.getByText('<img src=x').waitFor();
    await page.getByRole('button', { name: 'Show all', exact: true }).click();
    await page.getByText(/100,000 of 150,\d+ characters/).waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /Show all \(/ }).click();
    await page.getByRole('button', { name: 'Show less' }).waitFor();
    const shown = JSON.parse((await payload.textContent())!) as { big: string };
    expect(shown.big).toBe(BIG);
    expect(await page.locator('main img').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('offer a download of the file that a step stored', async () => {
    const id = await create('Download', [{ id: 'look', tool: 'search_contacts' }]);
    const run = await start(id, {});
    await statusIs(run, 'succeeded');
    const { organization, switchboard } = dashboard;
    const file = { id: `fil_${'x'.repeat(22)}`, name: 'a<b>.html', size: 9 };
    await switchboard.ownerQuery(
      `insert into files (organization_id, id, run_id, name, content_type, size, sha256)
       values ($1, $2, $3, $4, 'text/html', $5, '')`,
      [organization.id, file.id, run, file.name, file.size],
    );
    await switchboard.ownerQuery(
      `insert into file_chunks (organization_id, file_id, position, bytes) values ($1, $2, 0, '<b>Hi</b>')`,
      [organization.id, file.id],
    );
    await switchboard.ownerQuery(
      `update run_steps set tool = 'http_request', output = $2 where run_id = $1`,
      [run, JSON.stringify({ status: 200, headers: {}, body: {}, file })],
    );
    const { page, faults } = await dashboard.open(`/runs/${run}`);
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save the file: a<b>.html' }).click();
    expect((await saved).suggestedFilename()).toMatch(/^a.b.+html$/);
    expect(faults).toEqual([]);
  });

  it('show 10,000 steps in pages of 50', async () => {
    const id = await create('Long', [{ id: 'look', tool: 'search_contacts' }]);
    const run = await start(id, {});
    await statusIs(run, 'succeeded');
    await dashboard.switchboard.ownerQuery(
      `insert into run_steps (organization_id, run_id, step_id, position, status, attempts, output, started_at,
         finished_at)
       select $1, $2, 'each[' || n || '].in', n + 1, 'succeeded', 1, json_build_object('n', n), now(), now()
       from generate_series(1, 9999) n`,
      [dashboard.organization.id, run],
    );
    const { page, faults } = await dashboard.open(`/runs/${run}`);
    const steps = page.getByRole('main').locator('ol > li');
    await steps.first().waitFor();
    expect(await steps.count()).toBe(50);
    const next = page.getByRole('button', { name: 'Next' });
    // One response has 300 steps, which are six pages. For the seventh page, the browser sends another request.
    for (let shown = 1; shown <= 6; shown += 1) {
      await page.getByText(`Page ${shown}`, { exact: true }).waitFor();
      await next.click();
    }
    await steps.filter({ hasText: 'each[300].in' }).waitFor();
    expect(await steps.count()).toBe(50);
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('Page 6', { exact: true }).waitFor();
    await steps.filter({ hasText: 'each[299].in' }).waitFor();
    await page.getByText('Details: each[299].in').click();
    await page.getByRole('region', { name: 'Output: each[299].in' }).getByText('299').waitFor();
    expect(faults).toEqual([]);
  });

  it('are retried and canceled together, after their number was shown', async () => {
    const id = await create('Many', [{ id: 'pause', wait: { days: 1 } }]);
    const runs = [await start(id, {}), await start(id, {})];
    for (const run of runs) await statusIs(run, 'waiting');
    const { page } = await dashboard.open(`/runs?workflow_id=${id}`);
    await page.locator('tbody tr').nth(1).waitFor();
    await page.getByRole('button', { name: 'All matching runs' }).click();
    await page.getByRole('menuitem', { name: 'Cancel the matching runs' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel the matching runs' });
    await dialog.getByText('2 runs would change.').waitFor();
    for (const run of runs) await statusIs(run, 'waiting');
    await dialog.getByRole('button', { name: 'Cancel 2 runs' }).click();
    await dialog.getByText('2 runs were changed.').waitFor();
    for (const run of runs) await statusIs(run, 'canceled');
  });
});

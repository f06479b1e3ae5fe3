import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { pendingConfirmation } from '../support/pending-confirmation.js';
import { type Dashboard, sharedDashboard } from './support/dashboard.js';

const UNKNOWN = 'abc_unknown';
/** An id that is longer than any valid id. */
const TOO_LONG = 'a'.repeat(80);

describe('an address with the id of a row of another organization', () => {
  let dashboard: Dashboard;
  let page: Page;
  let foreign: Map<string, string>;

  const textOf = async (path: string): Promise<string> => {
    await page.goto(dashboard.switchboard.url + path);
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    return await page.locator('main').innerText();
  };

  beforeAll(async () => {
    dashboard = await sharedDashboard();
    foreign = await createRows(await createOrganization(dashboard.switchboard));
    ({ page } = await dashboard.open('/nothing'));
  });
  afterAll(() => dashboard.close());

  it.each(['contacts', 'messages', 'runs', 'workflows', 'tools', 'approvals'])(
    'shows the same page for an id of another organization under /%s as for an unknown id',
    async (place) => {
      const id = foreign.get(place)!;
      expect(id).toBeTruthy();
      const unknown = await textOf(`/${place}/${UNKNOWN}`);
      expect(unknown).toContain('it belongs to another organization');
      expect(await textOf(`/${place}/${id}`)).toBe(unknown);
      expect(await textOf(`/${place}/${TOO_LONG}`)).toBe(unknown);
      expect(await textOf(`/${place}/%00%E2%80%AE`)).toBe(unknown);
    },
  );

  it('shows the same text for a call of another organization and for an unknown call', async () => {
    const [request, call] = foreign.get('calls')!.split(' ');
    for (const [of, id] of [
      [request, call],
      [UNKNOWN, '1'],
      [TOO_LONG, TOO_LONG],
    ]) {
      const link = `/settings/developer/calls?request=${of}&call=%22${id}%22`;
      await page.goto(dashboard.switchboard.url + link);
      await page
        .getByRole('dialog')
        .getByText('No call of this organization has this id, or it is older than seven days.')
        .waitFor();
    }
  });
});

/** Creates one row of each kind, and returns their ids by the path of their pages. */
async function createRows(organization: TestOrganization): Promise<Map<string, string>> {
  const call = async <T>(tool: string, given: object): Promise<T> => {
    const { value, error } = await organization.call<T>(tool, given);
    if (error) throw new Error(`${tool}: ${JSON.stringify(error)}`);
    return value;
  };
  const email = 'foreign@example.com';
  const { contact } = await call<{ contact: { id: string } }>('create_contact', { email });
  const { message } = await call<{ message: { id: string } }>('send_message', {
    email,
    subject: 'Hello',
    body: 'Hello',
  });
  const { workflow } = await call<{ workflow: { id: string } }>('create_workflow', {
    name: 'Theirs',
    trigger: { type: 'manual' },
    steps: [{ id: 'one', wait: { days: 1 } }],
  });
  const workflow_id = workflow.id;
  const { run_id } = await call<{ run_id: string }>('trigger_workflow', { workflow_id });
  const tool = 'their_own_tool';
  await call('offer_workflow_as_tool', {
    workflow_id,
    name: tool,
    title: 'Their own tool',
    description: 'Does what only they may do.',
    input_schema: { type: 'object', properties: {} },
  });
  const { calls } = await call<{ calls: { id: string; request_id: string | null }[] }>(
    'list_calls',
    { tool: 'create_contact' },
  );
  const [first] = calls;
  return new Map([
    ['contacts', contact.id],
    ['messages', message.id],
    ['runs', run_id],
    ['workflows', workflow_id],
    ['tools', tool],
    ['approvals', await pendingConfirmation(organization)],
    ['calls', `${first!.request_id} ${first!.id}`],
  ]);
}

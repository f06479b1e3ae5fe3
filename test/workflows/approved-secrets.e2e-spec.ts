import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { callTool, said } from './support/offer-client.js';

const CHOSEN = 'whsec_a-secret-that-the-agent-chose-itself';
const STEPS = [{ id: 'pause', wait: { seconds: 1 } }];

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  for (const tool of ['create_workflow', 'update_workflow'])
    await acme.call('set_tool_policy', { tool, confirmation: 'always' });
});

interface Saved {
  workflow: { id: string };
  secret: string | null;
  error?: { confirmation_id?: string };
}

const agent = async (tool: string, given: object): Promise<Saved> =>
  said(await callTool(acme, tool, given));

/** Makes a call that a person approves. */
async function approved(tool: string, given: object): Promise<Saved> {
  const { error } = await agent(tool, given);
  await acme.call('approve_confirmation', { confirmation_id: error!.confirmation_id });
  return await agent(tool, given);
}

/** Returns the tables in which a row has the text. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await switchboard.ownerQuery<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await switchboard.ownerQuery(
      `select 1 from ${name} as found where position($1 in found::text) > 0 limit 1`,
      [text],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

describe('the secret of a webhook that an approved call sets', () => {
  it.each([
    ['is generated', true],
    ['is chosen by the agent', CHOSEN],
  ])('is stored nowhere in plain text, and returned once, when it %s', async (_case, secret) => {
    const given = { name: 'Signed', trigger: { type: 'webhook', secret }, steps: STEPS };
    const created = await approved('create_workflow', given);
    expect(created.secret).toMatch(/^whsec_/);
    expect(await tablesWith(created.secret!)).toEqual([]);
    expect(await agent('create_workflow', given)).toEqual({ ...created, secret: null });

    const change = { workflow_id: created.workflow.id, trigger: { type: 'webhook', secret } };
    const updated = await approved('update_workflow', { ...change, name: 'Again' });
    expect(updated.secret === null || (await tablesWith(updated.secret))).toEqual(
      updated.secret === null ? true : [],
    );
  });

  it('is not shown to the person who approves', async () => {
    const given = { name: 'Shown', trigger: { type: 'webhook', secret: CHOSEN }, steps: STEPS };
    await agent('create_workflow', given);
    const { value } = await acme.call<{ confirmations: { arguments: object }[] }>(
      'list_confirmations',
    );
    expect(value.confirmations[0]!.arguments).toMatchObject({
      name: 'Shown',
      trigger: { type: 'webhook', secret: '(hidden)' },
    });
  });

  it('is covered by the approval, so that a call with another secret needs a new approval', async () => {
    const given = { name: 'Bound', trigger: { type: 'webhook', secret: CHOSEN }, steps: STEPS };
    const { error } = await agent('create_workflow', given);
    await acme.call('approve_confirmation', { confirmation_id: error!.confirmation_id });
    const other = { ...given, trigger: { type: 'webhook', secret: `${CHOSEN}-2` } };
    expect(await agent('create_workflow', other)).toMatchObject({
      error: { code: 'confirmation_required' },
    });
  });
});

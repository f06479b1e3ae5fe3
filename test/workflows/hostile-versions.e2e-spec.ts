import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, getRun, postWebhook, runUntil } from './support/workflow-client.js';

const SET = { id: 'set_0', set: { a: 1 } };
const MESSAGE = { error: { message: expect.stringMatching(/more than 500 steps/) as string } };

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

/** Creates a workflow, and replaces its steps in the database, as SQL of a tool can add a version. */
const createStored = async (steps: unknown): Promise<string> => {
  const { id } = await createWorkflow(acme, [SET]);
  await switchboard.ownerQuery('update workflow_versions set steps = $2 where workflow_id = $1', [
    id,
    JSON.stringify(steps),
  ]);
  return id;
};

const many = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ ...SET, id: `set_${index}` }));

const nested = (depth: number): object[] =>
  depth === 1 ? [SET] : [{ id: `branch_${depth}`, if: 'true', then: nested(depth - 1) }];

const HOSTILE: [string, unknown][] = [
  ['502 steps', many(502)],
  ['12 nested lists', nested(12)],
  ['lists without steps', [{ id: 'both', parallel: Array.from({ length: 3000 }, () => []) }]],
  ['an id of 65 characters', [{ ...SET, id: 'x'.repeat(65) }]],
  ['300 KiB', [{ id: 'a', set: { a: 'x'.repeat(300 * 1024) } }]],
  [
    'deeply nested values',
    JSON.parse(`[{"id":"a","set":${'{"a":'.repeat(90)}1${'}'.repeat(90)}}]`),
  ],
];

describe('a stored version that is larger than saving allows', () => {
  it.each(HOSTILE)('ends its runs with too_large: %s', async (_, steps) => {
    const id = await createStored(steps);
    const { body } = await postWebhook(switchboard, id, {});
    const ended = await waitFor(async () => {
      const sql = `select status, reason from workflow_runs where id = $1 and status in ('succeeded', 'failed')`;
      return (await switchboard.ownerQuery(sql, [body.runId]))[0];
    });
    expect(ended).toEqual({ status: 'failed', reason: 'too_large' });
    expect(await getRun(acme, body.runId)).toMatchObject({ reason: 'too_large', steps: [] });
  });

  it('is refused by the tools that read it, and can be deleted', async () => {
    const other = await createOrganization(switchboard);
    const { id } = await createWorkflow(other, [SET]);
    await switchboard.ownerQuery('update workflow_versions set steps = $2 where workflow_id = $1', [
      id,
      JSON.stringify(many(502)),
    ]);
    for (const [tool, given] of [
      ['get_workflow', { workflow_id: id }],
      ['list_workflows', {}],
      ['get_workflow_version', { workflow_id: id, version: 1 }],
      ['restore_workflow_version', { workflow_id: id, version: 1 }],
      ['update_workflow', { workflow_id: id, name: 'Other' }],
    ] as const) {
      expect(await other.call(tool, given), tool).toMatchObject(MESSAGE);
    }
    expect(await other.call('delete_workflow', { workflow_id: id })).not.toHaveProperty('error');
    expect(await other.call('list_workflows', {})).toMatchObject({ value: { workflows: [] } });
  });

  it('does not include the largest definition that can be saved', async () => {
    const id = await createStored([
      ...nested(10),
      ...many(490).slice(1),
      { id: 'workflow.on_failure', on_failure: [] },
    ]);
    expect(await acme.call('get_workflow', { workflow_id: id })).not.toHaveProperty('error');
    const { body } = await postWebhook(switchboard, id, {});
    expect(await runUntil(acme, body.runId, 'running', 'succeeded')).toBeDefined();
  });
});

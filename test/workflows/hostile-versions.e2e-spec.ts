import { beforeAll, describe, expect, it } from 'vitest';
import { CompatibilityReportService } from '../../src/workflows/authoring/versions/compatibility-report.service.js';
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

/** Replaces the steps of a workflow in the database, as SQL of a tool can add a version. */
const replaceSteps = async (id: string, steps: unknown): Promise<void> => {
  await switchboard.ownerQuery('update workflow_versions set steps = $2 where workflow_id = $1', [
    id,
    JSON.stringify(steps),
  ]);
};

/** Creates a workflow whose steps are replaced in the database. */
const createStored = async (steps: unknown): Promise<string> => {
  const { id } = await createWorkflow(acme, [SET]);
  await replaceSteps(id, steps);
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
  ['600 KiB', [{ id: 'a', set: { a: 'x'.repeat(600 * 1024) } }]],
  ['an id of 65 characters', [{ ...SET, id: 'x'.repeat(65) }]],
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

  it('is named by the error of list_workflows, also when its JSON would take too long to parse', async () => {
    const other = await createOrganization(switchboard);
    await createWorkflow(other, [SET]);
    for (const count of [502, 500_001]) {
      const { id } = await createWorkflow(other, [SET]);
      await replaceSteps(
        id,
        Array.from({ length: count }, () => ({})),
      );
      const { error } = await other.call('list_workflows', {});
      expect(error!.message).toContain(`The stored definition of ${id} has more than 500 steps`);
      await other.call('delete_workflow', { workflow_id: id });
      expect((await other.call('list_workflows', {})).error).toBeUndefined();
    }
  });

  it('is refused by the tools that read it, and can be deleted', async () => {
    const other = await createOrganization(switchboard);
    const { id } = await createWorkflow(other, [SET]);
    await replaceSteps(id, many(502));
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

  it('is larger than the largest definition that can be saved, which can be read and executed', async () => {
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

describe('a stored loop', () => {
  it.each([0.5, 0, -1, 1e9, '2', [1]])('fails when its batch size is %j', async (batch) => {
    const id = await createStored([
      { id: 'loop', for_each: '{{ trigger.payload.list }}', batch, steps: [SET] },
    ]);
    const { body } = await postWebhook(switchboard, id, { list: [1, 2] });
    const ended = await runUntil(acme, body.runId, 'failed', 'succeeded');
    expect(ended).toMatchObject({ status: 'failed', reason: 'step_failed:loop' });
    expect(ended.steps[0]!.error).toMatchObject({
      code: 'invalid_arguments',
      message: 'batch must be a whole number from 1 to 1000.',
    });
  });
});

describe('a stored mapping of the contact', () => {
  it('cannot add steps to a run by on_error', async () => {
    const { id } = await createWorkflow(acme, [SET], {
      trigger: { type: 'webhook', contact: { email: '{{ trigger.payload.email }}' } },
    });
    const stored = { email: 'not an address', on_error: many(1000) };
    const sql = 'update workflow_versions set trigger_contact = $2 where workflow_id = $1';
    await switchboard.ownerQuery(sql, [id, JSON.stringify(stored)]);
    const { body } = await postWebhook(switchboard, id, {});
    const run = await runUntil(acme, body.runId, 'succeeded', 'failed');
    expect(run).toMatchObject({ status: 'failed', reason: 'step_failed:trigger.contact' });
    expect(run.steps).toHaveLength(1);
  });
});

describe('the compatibility report', () => {
  it('names versions that cannot be read, and still reports the versions of others', async () => {
    const other = await createOrganization(switchboard);
    const ids: string[] = [];
    for (const organization of [acme, other, other]) {
      ids.push((await createWorkflow(organization, [SET], { name: 'Replaced' })).id);
    }
    const [large, next, unknown] = ids as [string, string, string];
    await switchboard.ownerQuery(
      `update workflow_versions set tool_schemas = '{"never_was":{"input":"a","output":"b"}}'
       where workflow_id = any ($1)`,
      [ids],
    );
    await replaceSteps(
      large,
      Array.from({ length: 500_001 }, () => ({})),
    );
    await replaceSteps(unknown, [{ id: 'a', tool: 'never_was', arguments: {} }]);
    const report = switchboard.app.get(CompatibilityReportService, { strict: false });
    const found = (await report.find()).filter(({ workflowId }) => ids.includes(workflowId));
    const of = (id: string) => found.filter(({ workflowId }) => workflowId === id);
    const message = expect.stringContaining('takes too long to parse') as string;
    expect(of(large)).toMatchObject([{ workflowName: 'Replaced', path: 'steps', message }]);
    expect(of(unknown)).toMatchObject([{ organizationId: other.id, step: 'a' }]);
    expect(of(next)).toEqual([]);
  });

  it('names each version with a malformed step, and still reports the versions of others', async () => {
    const malformed = [
      { id: 'a', wait_for_event: null },
      { id: 'a', run_workflow: 5 },
    ];
    const ids: string[] = [];
    for (const step of [...malformed, SET]) ids.push(await createStored([step]));
    const other = await createOrganization(switchboard);
    const unknown = (await createWorkflow(other, [SET])).id;
    await replaceSteps(unknown, [{ id: 'a', tool: 'never_was', arguments: {} }]);
    const sql = `update workflow_versions set tool_schemas = null, fitting_schemas = null, loose_references = null
                 where workflow_id = any ($1)`;
    await switchboard.ownerQuery(sql, [[...ids, unknown]]);
    const report = switchboard.app.get(CompatibilityReportService, { strict: false });
    const found = await report.find();
    const of = (id: string) => found.filter(({ workflowId }) => workflowId === id);
    for (const id of ids.slice(0, 2)) expect(of(id), id).toMatchObject([{ path: 'steps' }]);
    expect(of(ids[2]!)).toEqual([]);
    expect(of(unknown)).toMatchObject([{ organizationId: other.id, step: 'a' }]);
  });

  it('reads few versions at once when their stored schemas are large', async () => {
    const other = await createOrganization(switchboard);
    const { id } = await createWorkflow(other, [SET]);
    await switchboard.ownerQuery(
      `insert into workflow_versions (organization_id, workflow_id, version, steps, tool_schemas)
       select organization_id, workflow_id, n, steps,
         (select jsonb_object_agg('never_was_' || g, md5(n || ' ' || g)) from generate_series(1, 9000) g)
       from workflow_versions, generate_series(2, 5) n where workflow_id = $1`,
      [id],
    );
    const lastAfter = async (version: number): Promise<number | undefined> => {
      const rows = await switchboard.ownerQuery<{ version: number }>(
        `select version from gate.find_outdated_versions('{}', $1, $2, $3, 1000) where workflow_id = $2`,
        [other.id, id, version],
      );
      return rows.at(-1)?.version;
    };
    const pages: number[] = [];
    let last = await lastAfter(0);
    while (last !== undefined) {
      pages.push(last);
      last = await lastAfter(last);
    }
    expect(pages).toEqual([2, 3, 4, 5]);
  });
});

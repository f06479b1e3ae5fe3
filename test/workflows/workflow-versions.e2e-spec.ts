import { beforeAll, describe, expect, it } from 'vitest';
import {
  createOrganization,
  type Outcome,
  type TestOrganization,
} from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import {
  createWorkflow,
  postWebhook,
  runUntil,
  trigger,
  type WorkflowShape,
} from './support/workflow-client.js';

interface Version {
  version: number;
  current: boolean;
  saved_by: { kind: string; id: string } | null;
  restored_from: number | null;
  name: string | null;
  trigger: object | null;
  steps: object[];
}

interface Saved {
  workflow: WorkflowShape;
  secret: string | null;
}

interface Diff {
  is_whole: boolean;
  changes: object[];
  steps: { id: string; change: string; changes: object[] }[];
}

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const find = (id: string, query?: string) => ({
  id,
  tool: 'search_contacts',
  arguments: query === undefined ? {} : { query },
});
const update = async (id: string, changes: object): Promise<Saved> => {
  const { value, error } = await acme.call<Saved>('update_workflow', {
    workflow_id: id,
    ...changes,
  });
  if (error) throw new Error(JSON.stringify(error));
  return value;
};
const listed = async (id: string, given: object = {}) =>
  (
    await acme.call<{ versions: Version[]; next_cursor: string | null }>('list_workflow_versions', {
      workflow_id: id,
      ...given,
    })
  ).value;
const get = async (id: string, version: number): Promise<Version> =>
  (await acme.call<{ version: Version }>('get_workflow_version', { workflow_id: id, version }))
    .value.version;
const diff = async (id: string, from: number, to: number): Promise<Diff> =>
  (await acme.call<Diff>('diff_workflow_versions', { workflow_id: id, from, to })).value;
const restore = (id: string, version: number, more: object = {}): Promise<Outcome<Saved>> =>
  acme.call<Saved>('restore_workflow_version', { workflow_id: id, version, ...more });
/** Changes the rows as if an early release had written them. That release stored only the steps. */
const forget = (id: string): Promise<unknown> =>
  switchboard.ownerQuery(
    `update workflow_versions set content = null, actor_kind = null, actor_id = null
     where workflow_id = $1`,
    [id],
  );

describe('versions of a workflow', () => {
  it('are created by every kind of edit, but not by an edit that changes nothing', async () => {
    const { id } = await createWorkflow(acme, [find('a')]);
    const edits: object[] = [
      { name: 'Other' },
      { steps: [find('a', 'ada')] },
      { trigger: { type: 'webhook', wait_seconds: 5 } },
      { trigger: { type: 'webhook', secret: true } },
      { trigger: { type: 'webhook', if: 'trigger.payload.vip' } },
      { trigger: { type: 'event', event: 'contact.created' } },
      { trigger: { type: 'schedule', cron: '0 9 * * 1' } },
      { trigger: { type: 'schedule', cron: '0 9 * * 1', timezone: 'Europe/Vienna' } },
      { trigger: { type: 'manual' }, steps: [], name: 'All' },
    ];
    for (const [index, edit] of edits.entries()) {
      expect((await update(id, edit)).workflow.version, JSON.stringify(edit)).toBe(index + 2);
      expect((await update(id, edit)).workflow.version).toBe(index + 2);
    }
    const { workflow } = await update(id, {});
    const same = { name: workflow.name, trigger: workflow.trigger, steps: workflow.steps };
    expect((await update(id, same)).workflow.version).toBe(edits.length + 1);
    await acme.call('deactivate_workflow', { workflow_id: id });
    expect((await listed(id)).versions).toHaveLength(edits.length + 1);
  });

  it('are not created by a new secret, and contain no secret', async () => {
    const first = 'the first secret!';
    const { id } = await createWorkflow(acme, [], { trigger: { type: 'webhook', secret: first } });
    expect(
      (await update(id, { trigger: { type: 'webhook', secret: 'the second secret' } })).workflow,
    ).toMatchObject({ version: 1 });
    expect((await get(id, 1)).trigger).toEqual({ type: 'webhook', secret: true });
    const rows = await switchboard.ownerQuery(
      'select v::text as row from workflow_versions v where workflow_id = $1',
      [id],
    );
    expect(JSON.stringify(rows)).not.toContain('secret!');
  });

  it('show when and by whom they were saved, in pages', async () => {
    const { id } = await createWorkflow(acme, []);
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'update_workflow', arguments: { workflow_id: id, name: 'By an agent' } },
    };
    expect((await acme.rpc(body)).status).toBe(200);
    await update(id, { name: 'By a person' });
    const first = await listed(id, { limit: 2 });
    expect(first.versions.map(({ version, current }) => [version, current])).toEqual([
      [3, true],
      [2, false],
    ]);
    expect(first.versions[0]!.saved_by).toEqual({ kind: 'user', id: acme.userId });
    expect(first.versions[1]!.saved_by!.kind).toBe('key');
    const rest = await listed(id, { limit: 2, cursor: first.next_cursor });
    expect(rest).toMatchObject({ versions: [{ version: 1 }], next_cursor: null });
    for (const cursor of ['x', Buffer.from('["1"]').toString('base64url')]) {
      const { error } = await acme.call('list_workflow_versions', { workflow_id: id, cursor });
      expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path: 'cursor' }] });
    }
  });

  it('contain the definition as it was given', async () => {
    const given = { type: 'webhook', if: 'trigger.payload.vip', wait_seconds: 3 };
    const steps = [{ ...find('a', 'ada'), on_error: [find('b')] }];
    const { id } = await createWorkflow(acme, steps, { name: 'First', trigger: given });
    await update(id, { name: 'Second', trigger: { type: 'manual' }, steps: [] });
    expect(await get(id, 1)).toMatchObject({
      version: 1,
      current: false,
      restored_from: null,
      name: 'First',
      trigger: given,
      steps,
    });
    expect(await get(id, 2)).toMatchObject({ current: true, name: 'Second', steps: [] });
  });

  it('stay the same for runs that have begun', async () => {
    const pause = { id: 'pause', wait: { hours: 1 } };
    const { id } = await createWorkflow(acme, [pause, find('old')]);
    const runId = await trigger(acme, id);
    await runUntil(acme, runId, 'waiting');
    await update(id, { steps: [pause, find('new')] });
    await switchboard.ownerQuery(
      `update run_steps set wake_at = now() where run_id = $1 and step_id = 'pause'`,
      [runId],
    );
    await switchboard.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [
      runId,
    ]);
    const run = await runUntil(acme, runId, 'succeeded', 'failed');
    expect(run).toMatchObject({ status: 'succeeded', workflow_version: 1 });
    expect(run.steps.map((step) => step.id)).toEqual(['pause', 'old']);
  });

  it('are not found when they do not exist', async () => {
    const { id } = await createWorkflow(acme, []);
    const other = await createOrganization(switchboard);
    for (const version of [2, 2_147_483_647]) {
      const { error } = await acme.call('get_workflow_version', { workflow_id: id, version });
      expect(error).toMatchObject({ code: 'not_found' });
    }
    const calls: [string, object][] = [
      ['list_workflow_versions', {}],
      ['get_workflow_version', { version: 1 }],
      ['diff_workflow_versions', { from: 1, to: 1 }],
      ['restore_workflow_version', { version: 1 }],
    ];
    for (const [tool, given] of calls) {
      const { error } = await other.call(tool, { workflow_id: id, ...given });
      expect(error!.message).toBe('No workflow has this id.');
    }
  });

  it('that an earlier release stored without name and trigger show only their steps', async () => {
    const { id } = await createWorkflow(acme, [find('a')], { name: 'Known' });
    await update(id, { steps: [find('b')] });
    await forget(id);
    expect(await get(id, 1)).toMatchObject({ name: null, trigger: null, saved_by: null });
    // The newest version shows the definition of the workflow.
    expect(await get(id, 2)).toMatchObject({ name: 'Known', trigger: { type: 'webhook' } });
    expect(await diff(id, 1, 2)).toMatchObject({ is_whole: false, changes: [] });
    await update(id, { name: 'New' });
    // The definition of the newest version is stored before the next version is created.
    expect(await get(id, 2)).toMatchObject({ name: 'Known', trigger: { type: 'webhook' } });
    expect(await get(id, 1)).toMatchObject({ name: null, trigger: null });
    const { value } = await restore(id, 1);
    expect(value.workflow).toMatchObject({ version: 4, name: 'New', steps: [find('a')] });
  });
});

describe('the difference between two versions', () => {
  it('includes name, trigger and steps', async () => {
    const { id } = await createWorkflow(acme, [find('a', 'ada'), find('gone')], { name: 'One' });
    await update(id, {
      name: 'Two',
      trigger: { type: 'schedule', cron: '0 9 * * 1' },
      steps: [find('new'), find('a', 'eve')],
    });
    expect(await diff(id, 1, 2)).toEqual({
      from: 1,
      to: 2,
      is_whole: true,
      changes: [
        { path: '/name', before: 'One', after: 'Two' },
        { path: '/trigger/type', before: 'webhook', after: 'schedule' },
        { path: '/trigger/cron', after: '0 9 * * 1' },
        { path: '/trigger/timezone', after: 'UTC' },
        { path: '/trigger/missed', after: 'skip' },
      ],
      steps: [
        { id: 'gone', change: 'removed', from: '/steps/1', to: null, changes: [] },
        { id: 'new', change: 'added', from: null, to: '/steps/0', changes: [] },
        {
          id: 'a',
          change: 'changed',
          from: '/steps/0',
          to: '/steps/1',
          changes: [{ path: '/arguments/query', before: 'ada', after: 'eve' }],
        },
      ],
    });
    const back = await diff(id, 2, 1);
    expect(back.changes[0]).toEqual({ path: '/name', before: 'Two', after: 'One' });
    expect(await diff(id, 1, 1)).toMatchObject({ changes: [], steps: [] });
  });
});

describe('a version that is restored', () => {
  it('is a new version with the same definition', async () => {
    const given = { type: 'webhook', if: 'trigger.payload.vip', wait_seconds: 3 };
    const { id } = await createWorkflow(acme, [find('a')], { name: 'First', trigger: given });
    await update(id, {
      name: 'Second',
      trigger: { type: 'webhook', wait_seconds: 7 },
      steps: [find('b')],
    });
    const { value } = await restore(id, 1, { expected_version: 2 });
    expect(value.workflow).toMatchObject({
      version: 3,
      name: 'First',
      trigger: given,
      steps: [find('a')],
    });
    expect(await diff(id, 1, 3)).toMatchObject({ is_whole: true, changes: [], steps: [] });
    expect((await listed(id)).versions[0]).toMatchObject({ version: 3, restored_from: 1 });
    // Nothing has changed, so no version is created.
    expect((await restore(id, 1)).value.workflow.version).toBe(3);
  });

  it('removes the options that the restored version does not have', async () => {
    const { id } = await createWorkflow(acme, [], { trigger: { type: 'webhook' } });
    await update(id, { trigger: { type: 'webhook', if: 'contact', wait_seconds: 7 } });
    expect((await restore(id, 1)).value.workflow.trigger).toEqual({ type: 'webhook' });
    expect((await restore(id, 2)).value.workflow.trigger).toEqual({
      type: 'webhook',
      if: 'contact',
      wait_seconds: 7,
    });
  });

  it('plans its schedule again', async () => {
    const ticks = (): Promise<object[]> =>
      switchboard.ownerQuery('select from workflow_schedules where workflow_id = $1', [id]);
    const { id } = await createWorkflow(acme, [], {
      trigger: { type: 'schedule', cron: '0 9 * * 1' },
    });
    await update(id, { trigger: { type: 'manual' } });
    expect(await ticks()).toHaveLength(0);
    await restore(id, 1);
    expect(await ticks()).toHaveLength(1);
  });

  it('never makes a signed webhook accept unsigned requests', async () => {
    const { id } = await createWorkflow(acme, [], {
      trigger: { type: 'webhook', secret: true, tolerance_seconds: 300 },
    });
    await update(id, { trigger: { type: 'manual' } });
    const { value } = await restore(id, 1);
    // The change to another kind of trigger has not removed the secret.
    expect(value.secret).toBeNull();
    expect(value.workflow.trigger).toEqual({
      type: 'webhook',
      secret: true,
      tolerance_seconds: 300,
    });
    expect((await postWebhook(switchboard, id, {})).status).toBe(401);
    // Restoring a version without a secret keeps the current secret.
    await update(id, { trigger: { type: 'webhook', secret: null, tolerance_seconds: null } });
    await update(id, { trigger: { type: 'webhook', secret: true } });
    const { workflow } = (await restore(id, 4)).value;
    expect(workflow.trigger).toEqual({ type: 'webhook', secret: true });
    expect((await postWebhook(switchboard, id, {})).status).toBe(401);
  });

  it('is rejected when somebody else has saved another version in the meantime', async () => {
    const { id } = await createWorkflow(acme, [find('a')]);
    await update(id, { steps: [find('b')] });
    await update(id, { steps: [find('c')], expected_version: 2 });
    for (const refused of [
      await restore(id, 1, { expected_version: 2 }),
      await acme.call('update_workflow', { workflow_id: id, name: 'X', expected_version: 2 }),
    ]) {
      expect(refused).toMatchObject({ status: 409, error: { code: 'conflict' } });
      expect(refused.error!.message).toContain('version 3');
    }
    expect((await listed(id)).versions).toHaveLength(3);
    const change = { workflow_id: id, name: 'X', expected_version: 2 };
    const answer = await acme.fetch('/api/tools/update_workflow', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(change),
    });
    expect(await answer.json()).toMatchObject({ code: 'conflict', current_version: 3 });
    const params = { name: 'update_workflow', arguments: change };
    const called = await acme.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const { result } = (await called.json()) as { result: { content: { text: string }[] } };
    expect(JSON.parse(result.content[0]!.text)).toMatchObject({
      error: { code: 'conflict', current_version: 3 },
    });
  });

  it('is saved by only one of many simultaneous editors', async () => {
    const { id } = await createWorkflow(acme, []);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        acme.call('update_workflow', {
          workflow_id: id,
          name: `Editor ${index}`,
          expected_version: 1,
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(outcomes.filter(({ error }) => error?.code === 'conflict')).toHaveLength(7);
  });

  it('is checked again, and rejected with the path of every fault', async () => {
    const { id } = await createWorkflow(acme, [find('a')]);
    await update(id, { steps: [] });
    await switchboard.ownerQuery(
      `update workflow_versions set steps = $2 where workflow_id = $1 and version = 1`,
      [
        id,
        JSON.stringify([
          { id: 'a', tool: 'tool_that_went', arguments: {} },
          { id: 'b', tool: 'search_contacts', arguments: { went: 1, limit: 'many' } },
        ]),
      ],
    );
    const { error } = await restore(id, 1);
    expect(error).toMatchObject({ code: 'invalid_arguments' });
    expect(error!.details!.map(({ path }) => path)).toEqual([
      'steps[0].tool',
      'steps[1].arguments.went',
      'steps[1].arguments.limit',
    ]);
    expect((await get(id, 2)).current).toBe(true);
  });
});

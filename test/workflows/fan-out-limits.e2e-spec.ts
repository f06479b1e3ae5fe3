import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow, runToEnd, runUntil } from './support/workflow-client.js';

const on = (event: string) => ({ type: 'event', event });

let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard();
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

describe('workflows that wait for the same event', () => {
  const save = (trigger: object, more: object = {}) =>
    acme.call<{ workflow: { id: string } }>('create_workflow', {
      name: 'Many',
      trigger,
      steps: [],
      ...more,
    });

  it('are limited to 50 by every creation, change and activation', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 49; count += 1) {
      ids.push((await save(on('contact.tagged'))).value.workflow.id);
    }
    // Only one of the simultaneous saves can add the 50th workflow.
    const saved = await Promise.all(Array.from({ length: 5 }, () => save(on('contact.tagged'))));
    expect(saved.filter(({ error }) => !error)).toHaveLength(1);
    for (const { error } of saved.filter((outcome) => outcome.error)) {
      expect(error).toMatchObject({
        code: 'conflict',
        message:
          'At most 50 active workflows may wait for contact.tagged. Deactivate another one first.',
      });
    }
    const inactive = await save(on('contact.tagged'), { active: false });
    const { id } = inactive.value.workflow;
    const activate = () => acme.call('activate_workflow', { workflow_id: id });
    expect((await activate()).error?.code).toBe('conflict');
    const other = await save(on('contact.updated'));
    const changed = await acme.call('update_workflow', {
      workflow_id: other.value.workflow.id,
      trigger: on('contact.tagged'),
    });
    expect(changed.error?.code).toBe('conflict');
    // A workflow that is already counted can be changed and activated again.
    expect((await acme.call('activate_workflow', { workflow_id: ids[0]! })).error).toBeUndefined();
    const kept = {
      workflow_id: ids[0]!,
      trigger: { ...on('contact.tagged'), if: 'contact.email' },
    };
    expect((await acme.call('update_workflow', kept)).error).toBeUndefined();
    await acme.call('deactivate_workflow', { workflow_id: ids[0]! });
    expect((await activate()).error).toBeUndefined();
    const stranger = await createOrganization(switchboard);
    await createWorkflow(stranger, [], { trigger: on('contact.tagged') });
  });
});

describe('runs that follow from one run', () => {
  it('are at most 10,000, and each workflow gets one failed run that reports the limit', async () => {
    const watch = await createWorkflow(acme, [], { trigger: on('contact.created') });
    const manual = await createWorkflow(acme, [], { trigger: { type: 'manual' } });
    const create = (name: string) => ({
      id: name,
      tool: 'create_contact',
      arguments: { email: `${name}@example.com` },
    });
    const { id } = await createWorkflow(acme, [
      { id: 'gate', tool: 'get_contact', arguments: { email: 'gate@example.com' } },
      create('one'),
      create('two'),
      create('three'),
      {
        id: 'start',
        tool: 'trigger_workflow',
        arguments: { workflow_id: manual.id },
        on_error: 'continue',
      },
    ]);
    const root = await runToEnd(acme, id);
    expect(root.status).toBe('failed');
    await switchboard.ownerQuery(
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, status, trigger_type, payload,
         depth, root_run_id, finished_at)
       select $1, 'run_follower' || n, $2, 1, 'succeeded', 'manual', '{}', 1, $3, now()
       from generate_series(1, 9999) n`,
      [acme.id, manual.id, root.id],
    );
    await acme.call('create_contact', { email: 'gate@example.com' });
    await acme.call('retry_run', { run_id: root.id });
    const run = await runUntil(acme, root.id, 'succeeded');
    expect(run.steps.at(-1)).toMatchObject({
      id: 'start',
      status: 'failed',
      error: { code: 'conflict', message: 'At most 10000 runs may descend from one run.' },
    });
    const followers = await switchboard.ownerQuery<{ reason: string | null; email: string }>(
      `select reason, convert_from(payload, 'UTF8')::json->'contact'->>'email' as email from workflow_runs
       where workflow_id = $1 and root_run_id = $2 order by created_at, id`,
      [watch.id, root.id],
    );
    expect(followers).toEqual([
      { reason: null, email: 'one@example.com' },
      { reason: 'loop', email: 'two@example.com' },
    ]);
  });

  it('are counted from the first run of the chain', async () => {
    const watch = await createWorkflow(acme, [], { trigger: on('contact.updated') });
    const child = await createWorkflow(acme, [
      {
        id: 'touch',
        tool: 'set_run_contact',
        arguments: { contact: { email: 'gate@example.com', first_name: '{{ run.id }}' } },
      },
    ]);
    const start = { id: 'start', tool: 'trigger_workflow', arguments: { workflow_id: child.id } };
    const parent = await createWorkflow(acme, [start]);
    const { id: root, steps } = await runToEnd(acme, parent.id);
    const { run_id: childId } = steps[0]!.output as { run_id: string };
    await runUntil(acme, childId, 'succeeded');
    const rows = await switchboard.ownerQuery(
      'select root_run_id as root, depth from workflow_runs where workflow_id = any ($1) order by depth',
      [[parent.id, child.id, watch.id]],
    );
    expect(rows).toEqual([
      { root: null, depth: 0 },
      { root, depth: 1 },
      { root, depth: 2 },
    ]);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeTools } from './support/probe.tools.js';
import {
  createWorkflow,
  getRun,
  type RunShape,
  runToEnd,
  runUntil,
  trigger,
} from './support/workflow-client.js';

describe('the control of runs', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const effect = (id: string, name: string) => ({ id, tool: 'probe_effect', arguments: { name } });
  const cancel = (runId: string) => acme.call<{ run: RunShape }>('cancel_run', { run_id: runId });
  const retry = (runId: string) => acme.call<{ run: RunShape }>('retry_run', { run_id: runId });

  it('cancels a waiting run, which continues its wait when it is retried', async () => {
    const workflow = await createWorkflow(acme, [
      { id: 'pause', wait: { days: 1 } },
      effect('after', 'waiting'),
    ]);
    const runId = await trigger(acme, workflow.id);
    await runUntil(acme, runId, 'waiting');
    const { value } = await cancel(runId);
    expect(value.run).toMatchObject({
      status: 'canceled',
      reason: 'requested',
      steps: [{ id: 'pause', status: 'canceled' }],
    });
    expect(value.run.finished_at).not.toBeNull();
    expect((await cancel(runId)).error!.code).toBe('conflict');
    expect((await retry(runId)).value.run.status).toBe('queued');
    await switchboard.ownerQuery(`update run_steps set wake_at = now() where run_id = $1`, [runId]);
    await switchboard.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [
      runId,
    ]);
    expect((await runUntil(acme, runId, 'succeeded', 'failed')).status).toBe('succeeded');
  });

  it('cancels a running run: the current step is rolled back, and later steps never begin', async () => {
    ProbeTools.hold('canceled');
    const workflow = await createWorkflow(acme, [
      { id: 'call', tool: 'probe_outside', arguments: { name: 'canceled' } },
      effect('after', 'canceled effect'),
    ]);
    const runId = await trigger(acme, workflow.id);
    await waitFor(() => ProbeTools.count('canceled') === 1);
    expect((await cancel(runId)).value.run.status).toBe('canceled');
    ProbeTools.open('canceled');
    const later = await runToEnd(acme, (await createWorkflow(acme, [effect('x', 'later')])).id);
    expect(later.status).toBe('succeeded');
    const run = await getRun(acme, runId);
    expect(run.status).toBe('canceled');
    expect(run.steps).toMatchObject([{ id: 'call', status: 'canceled' }]);
    expect(ProbeTools.count('canceled effect')).toBe(0);
  });

  it('cancels a queued run', async () => {
    const workflow = await createWorkflow(acme, [effect('a', 'queued')]);
    const { error, value } = await acme.call<{ run_id: string }>('trigger_workflow', {
      workflow_id: workflow.id,
    });
    expect(error).toBeUndefined();
    await switchboard.ownerQuery(
      `update workflow_runs set status = 'queued', epoch = epoch + 1, available_at = now() + interval '1 day'
       where id = $1`,
      [value.run_id],
    );
    expect((await cancel(value.run_id)).value.run.status).toBe('canceled');
  });

  it('retries a failed run from the step that failed, in the version with which it began', async () => {
    ProbeTools.failures.set('mended', 1);
    const workflow = await createWorkflow(acme, [
      effect('before', 'retried before'),
      { id: 'broken', tool: 'probe_fail', arguments: { name: 'mended', code: 'conflict' } },
      effect('after', 'retried after'),
    ]);
    const failed = await runToEnd(acme, workflow.id);
    expect(failed.reason).toBe('step_failed:broken');
    await acme.call('update_workflow', { workflow_id: workflow.id, steps: [] });
    await acme.call('delete_workflow', { workflow_id: workflow.id });
    expect((await retry(failed.id)).value.run.steps).toMatchObject([
      { id: 'before', status: 'succeeded' },
      { id: 'broken', error: null },
    ]);
    const run = await runUntil(acme, failed.id, 'succeeded', 'failed');
    expect(run).toMatchObject({ status: 'succeeded', workflow_version: 1 });
    expect(run.steps.map((step) => step.id)).toEqual(['before', 'broken', 'after']);
    expect(ProbeTools.count('retried before')).toBe(1);
    expect((await retry(failed.id)).error!.code).toBe('conflict');
    expect((await cancel(failed.id)).error!.code).toBe('conflict');
  });

  it('starts one run for one idempotency_key', async () => {
    const workflow = await createWorkflow(acme, [], { trigger: { type: 'manual' } });
    const given = { workflow_id: workflow.id, payload: { a: 1 }, idempotency_key: 'once' };
    const first = await acme.call('trigger_workflow', given);
    expect(await acme.call('trigger_workflow', given)).toEqual(first);
    const other = await acme.call('trigger_workflow', { ...given, payload: { a: 2 } });
    expect(other.error!.code).toBe('idempotency_mismatch');
  });

  it('refuses to start unknown and inactive workflows', async () => {
    const workflow = await createWorkflow(acme, [], { active: false });
    const start = (given: object) =>
      acme.call<{ run_id: string }>('trigger_workflow', { workflow_id: workflow.id, ...given });
    expect((await start({})).error!.code).toBe('conflict');
    await acme.call('activate_workflow', { workflow_id: workflow.id });
    expect((await start({ contact_id: 'con_x' })).error).toMatchObject({
      code: 'not_found',
      message: 'No contact has this id.',
    });
    expect((await start({ contact_id: 'x', email: 'a@example.com' })).error!.code).toBe(
      'invalid_arguments',
    );
    const { value } = await start({ email: 'nobody@example.com' });
    expect((await getRun(acme, value.run_id)).contact_id).toBeNull();
    for (const tool of ['get_run', 'cancel_run', 'retry_run']) {
      expect((await acme.call(tool, { run_id: 'run_x' })).error!.message).toBe(
        'No run has this id.',
      );
    }
  });

  it('lists runs in pages, newest first, and by status', async () => {
    const workflow = await createWorkflow(acme, [effect('a', 'listed')]);
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.push((await runToEnd(acme, workflow.id)).id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { value }: { value: { runs: RunShape[]; next_cursor: string | null } } =
        await acme.call('list_runs', {
          workflow_id: workflow.id,
          status: 'succeeded',
          limit: 2,
          ...(cursor !== null && { cursor }),
        });
      for (const run of value.runs) {
        seen.push(run.id);
        expect(run.steps).toMatchObject([{ id: 'a', status: 'succeeded', output: null }]);
      }
      cursor = value.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(ids.toReversed());
    const none = await acme.call<{ runs: [] }>('list_runs', {
      workflow_id: workflow.id,
      status: 'failed',
    });
    expect(none.value.runs).toEqual([]);
    for (const bad of ['x', 'bnVsbA', Buffer.from('[-1,"a"]').toString('base64url')]) {
      expect((await acme.call('list_runs', { cursor: bad })).error!.code).toBe('invalid_arguments');
    }
  });
});

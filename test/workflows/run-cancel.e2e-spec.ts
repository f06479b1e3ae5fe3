import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { ProbeTools } from './support/probe.tools.js';
import {
  createWorkflow,
  getRun,
  type RunShape,
  runUntil,
  trigger,
} from './support/workflow-client.js';

/** Lists every state of a run that has not ended. */
describe('cancel_run', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
  });

  const effect = (id: string, name: string) => ({ id, tool: 'probe_effect', arguments: { name } });
  const cancel = (runId: string) => acme.call<{ run: RunShape }>('cancel_run', { run_id: runId });
  const contacts = async (name: string): Promise<number> => {
    const rows = await switchboard.ownerQuery('select from contacts where first_name = $1', [name]);
    return rows.length;
  };
  /** Returns all rows of the run. */
  const rows = async (runId: string): Promise<unknown> => [
    await switchboard.ownerQuery('select * from workflow_runs where id = $1', [runId]),
    await switchboard.ownerQuery('select * from run_steps where run_id = $1 order by position', [
      runId,
    ]),
  ];
  /** Cancels the run, makes its row due and lets workers poll. The run must not change. */
  async function cancelForGood(runId: string): Promise<RunShape> {
    const { value, error } = await cancel(runId);
    expect(error).toBeUndefined();
    expect(value.run).toMatchObject({ status: 'canceled', reason: 'requested' });
    await switchboard.ownerQuery(
      `update workflow_runs set available_at = now() - interval '1 s' where id = $1`,
      [runId],
    );
    const before = await rows(runId);
    const other = await createWorkflow(acme, [
      { id: 'find', tool: 'search_contacts', arguments: {} },
    ]);
    await runUntil(acme, await trigger(acme, other.id), 'succeeded');
    expect(await rows(runId)).toEqual(before);
    return await getRun(acme, runId);
  }

  it('cancels a queued run before its first step', async () => {
    const workflow = await createWorkflow(acme, [effect('a', 'cancel queued')]);
    // This delays the run, as if it were behind other runs in the queue.
    await switchboard.ownerQuery(
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload, available_at)
       values ($1, 'run_cancelqueued', $2, 1, 'manual', '{}', now() + interval '1 hour')`,
      [acme.id, workflow.id],
    );
    const run = await cancelForGood('run_cancelqueued');
    expect(run).toMatchObject({ started_at: null, steps: [] });
    expect(await contacts('cancel queued')).toBe(0);
  });

  it('cancels a run during an internal step: the step commits as a whole, and no later step begins', async () => {
    ProbeTools.hold('cancel inside');
    const workflow = await createWorkflow(acme, [
      effect('a', 'cancel inside'),
      { id: 'pause', wait: { days: 1 } },
      effect('b', 'cancel inside after'),
    ]);
    const runId = await trigger(acme, workflow.id);
    await waitFor(() => ProbeTools.count('cancel inside') === 1);
    const canceled = cancel(runId);
    // The transaction of the step locks the run.
    await waitFor(async () => {
      const waiting = await switchboard.ownerQuery(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like 'with open%canceled%'`,
      );
      return waiting.length > 0;
    });
    ProbeTools.open('cancel inside');
    const { value } = await canceled;
    expect(value.run.status).toBe('canceled');
    // The worker may or may not have begun the wait before the cancellation.
    expect(value.run.steps[0]).toMatchObject({ id: 'a', status: 'succeeded' });
    await switchboard.ownerQuery(`update workflow_runs set available_at = now() where id = $1`, [
      runId,
    ]);
    const before = await rows(runId);
    await runUntil(acme, await trigger(acme, (await createWorkflow(acme, [])).id), 'succeeded');
    expect(await rows(runId)).toEqual(before);
    expect(await contacts('cancel inside')).toBe(1);
    expect(await contacts('cancel inside after')).toBe(0);
  });

  it('cancels a run during an external call and aborts the call', async () => {
    ProbeTools.hold('cancel outside');
    const workflow = await createWorkflow(acme, [
      { id: 'call', tool: 'probe_outside', arguments: { name: 'cancel outside' }, timeout: 300 },
      effect('after', 'cancel outside after'),
    ]);
    const runId = await trigger(acme, workflow.id);
    await waitFor(() => ProbeTools.count('cancel outside') === 1);
    const run = await cancelForGood(runId);
    expect(run.steps).toMatchObject([{ id: 'call', status: 'canceled', output: null }]);
    const before = await rows(runId);
    await waitFor(() => ProbeTools.aborted.has('cancel outside'));
    ProbeTools.open('cancel outside');
    expect(await rows(runId)).toEqual(before);
    expect(ProbeTools.count('cancel outside')).toBe(1);
    expect(await contacts('cancel outside after')).toBe(0);
  });

  it('cancels a run that waits for a time', async () => {
    const workflow = await createWorkflow(acme, [
      { id: 'pause', wait: { days: 1 } },
      effect('after', 'cancel wait'),
    ]);
    const runId = await trigger(acme, workflow.id);
    await runUntil(acme, runId, 'waiting');
    expect((await cancelForGood(runId)).steps).toMatchObject([{ id: 'pause', status: 'canceled' }]);
    expect(await contacts('cancel wait')).toBe(0);
  });

  it('cancels a run that waits for the next attempt of a step', async () => {
    const workflow = await createWorkflow(acme, [
      {
        id: 'shaky',
        tool: 'probe_fail',
        arguments: { name: 'cancel retry', code: 'unavailable' },
        retry: { backoff_seconds: 3600 },
      },
    ]);
    const runId = await trigger(acme, workflow.id);
    const waiting = await runUntil(acme, runId, 'waiting');
    expect(waiting.reason).toBe('retry');
    expect((await cancelForGood(runId)).steps).toMatchObject([{ status: 'canceled', attempts: 1 }]);
    expect(ProbeTools.count('cancel retry')).toBe(1);
  });
});

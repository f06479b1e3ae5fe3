import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunWorker } from '../../src/workflows/engine/run.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, getRun, trigger } from './support/workflow-client.js';

describe('a run that is parked after three crashes', () => {
  // No worker runs here: the test claims the runs and never releases them.
  let web: Switchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    web = await startSwitchboard({ env: { ROLE: 'web' } });
    acme = await createOrganization(web);
  });
  afterAll(() => web.close());

  const park = async (runId: string): Promise<void> => {
    const worker = web.app.get(RunWorker, { strict: false });
    for (let claims = 0; claims < 4; claims += 1) {
      await web.ownerQuery(
        `update workflow_runs set available_at = now() - interval '1 ms' where id = $1`,
        [runId],
      );
      await worker.claim(1, runId);
    }
    expect(await getRun(acme, runId)).toMatchObject({ status: 'failed', reason: 'poison' });
  };
  const payloadsOf = async (workflowId: string): Promise<{ run: { id: string } }[]> => {
    const rows = await web.ownerQuery<{ payload: string; depth: number }>(
      `select convert_from(payload, 'UTF8') as payload, depth from workflow_runs
       where workflow_id = $1 order by created_at`,
      [workflowId],
    );
    expect(rows.every(({ depth }) => depth === 1)).toBe(true);
    return rows.map(({ payload }) => JSON.parse(payload) as { run: { id: string } });
  };
  const untold = async (): Promise<number> =>
    (await web.ownerQuery('select 1 from parked_runs')).length;

  it('emits run.failed once, although the claim emits nothing and workers race to emit it', async () => {
    const watch = await createWorkflow(acme, [], {
      trigger: { type: 'event', event: 'run.failed' },
    });
    const bad = await createWorkflow(acme, [], { name: 'Bad' });
    const runIds: string[] = [];
    for (let count = 0; count < 5; count += 1) runIds.push(await trigger(acme, bad.id));
    for (const id of runIds) await park(id);
    // The run is retried before the event is emitted. The event must still be emitted, because the run had failed.
    await acme.call('retry_run', { run_id: runIds[0]! });
    expect(await untold()).toBe(5);
    expect(await payloadsOf(watch.id)).toEqual([]);
    const workers = await Promise.all(
      Array.from({ length: 3 }, () =>
        startSwitchboard({ databaseUrl: web.databaseUrl, env: { ROLE: 'worker' } }),
      ),
    );
    try {
      await waitFor(async () => (await untold()) === 0);
    } finally {
      for (const worker of workers) await worker.close();
    }
    const told = await payloadsOf(watch.id);
    expect(told.map(({ run }) => run.id).sort()).toEqual(runIds.sort());
    expect(told[0]).toMatchObject({
      event: 'run.failed',
      run: { workflow_id: bad.id, status: 'failed', reason: 'poison' },
      workflow: { id: bad.id, name: 'Bad' },
      error: { step: null, code: 'poison' },
    });
  });

  it('gets a row in parked_runs, and a canceled run does not', async () => {
    const workflow = await createWorkflow(acme, []);
    const runId = await trigger(acme, workflow.id);
    await acme.call('cancel_run', { run_id: runId });
    expect(await untold()).toBe(0);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GateDatabase } from '../../src/database/gate-database.js';
import { RunWorker } from '../../src/workflows/engine/run.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, getRun, trigger } from './support/workflow-client.js';

/** No worker runs, so nothing polls, and a run begins when the test claims it. */
describe('a rate limit without workers', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    acme = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  const limited = async (limits: object): Promise<string> =>
    (await createWorkflow(acme, [], { trigger: { type: 'manual', limits } })).id;
  const admit = (runId: string) =>
    switchboard.app.get(GateDatabase).call<{ id: string }>('admit_runs', [runId]);
  /** Returns the reason why a run is delayed, after its limits were checked. */
  const reason = async (runId: string): Promise<string | null> => {
    await admit(runId);
    return (await getRun(acme, runId)).reason;
  };
  const begin = async (runId: string): Promise<void> => {
    await admit(runId);
    const claims = await switchboard.app.get(RunWorker, { strict: false }).claim(1, runId);
    expect(claims.map(({ id }) => id)).toEqual([runId]);
  };
  const letAnHourPass = (workflowId: string) =>
    switchboard.ownerQuery(
      `update workflow_runs set released_at = released_at - interval '1 hour',
         earlier_begins = array(select b - interval '1 hour' from unnest(earlier_begins) b)
       where workflow_id = $1`,
      [workflowId],
    );
  const cancel = (runId: string) => acme.call('cancel_run', { run_id: runId });
  const HOUR = 3600;

  it('counts a run from its beginning, even after a long wait for a worker', async () => {
    const id = await limited({ rate: { runs: 1, per_seconds: HOUR } });
    const first = await trigger(acme, id);
    expect(await reason(first)).toBeNull();
    await letAnHourPass(id);
    const second = await trigger(acme, id);
    expect(await reason(second)).toBe('rate');
    await begin(first);
    expect(await reason(second)).toBe('rate');
    await letAnHourPass(id);
    expect(await reason(second)).toBeNull();
  });

  it('counts a run from its beginning, even after a long wait for a slot', async () => {
    const id = await limited({ rate: { runs: 2, per_seconds: HOUR }, concurrency: { runs: 1 } });
    const [first, second, third] = [
      await trigger(acme, id),
      await trigger(acme, id),
      await trigger(acme, id),
    ];
    await begin(first);
    expect(await reason(second)).toBe('concurrency');
    await letAnHourPass(id);
    expect(await reason(third)).toBe('concurrency');
    const fourth = await trigger(acme, id);
    expect(await reason(fourth)).toBe('rate');
    await cancel(first);
    await begin(second);
    await cancel(second);
    await begin(third);
    await cancel(third);
    expect(await reason(fourth)).toBe('rate');
  });

  it('counts every beginning of a run that is retried', async () => {
    const id = await limited({ rate: { runs: 2, per_seconds: HOUR } });
    const first = await trigger(acme, id);
    await begin(first);
    await cancel(first);
    await acme.call('retry_run', { run_id: first });
    await begin(first);
    const second = await trigger(acme, id);
    expect(await reason(second)).toBe('rate');
    await letAnHourPass(id);
    expect(await reason(second)).toBeNull();
  });

  it('gives the next run the place of a run that was canceled before it began', async () => {
    const id = await limited({ rate: { runs: 2, per_seconds: HOUR } });
    const first = await trigger(acme, id);
    await begin(first);
    await cancel(first);
    await acme.call('retry_run', { run_id: first });
    expect(await reason(first)).toBeNull();
    await cancel(first);
    const second = await trigger(acme, id);
    expect(await reason(second)).toBeNull();
    // The beginning of the canceled run still counts.
    expect(await reason(await trigger(acme, id))).toBe('rate');
  });

  it('gives no place to a run whose key is busy, and checks again when the key is free', async () => {
    const id = await limited({
      rate: { runs: 2, per_seconds: HOUR },
      concurrency: { key: '{{ trigger.payload.who }}', runs_per_key: 1 },
    });
    const busy = await trigger(acme, id, { who: 'a' });
    await begin(busy);
    const behind = await trigger(acme, id, { who: 'a' });
    expect(await reason(behind)).toBe('concurrency');
    const other = await trigger(acme, id, { who: 'b' });
    expect(await reason(other)).toBeNull();
    await cancel(busy);
    expect(await reason(behind)).toBe('rate');
    await letAnHourPass(id);
    expect(await reason(behind)).toBeNull();
  });

  it('begins the next run when its place is free, without a poll', async () => {
    const id = await limited({ rate: { runs: 1, per_seconds: 1 } });
    const first = await trigger(acme, id);
    await begin(first);
    const runs = [await trigger(acme, id), await trigger(acme, id)];
    for (const runId of runs) {
      await waitFor(async () => (await getRun(acme, runId)).reason === null);
      const claims = await switchboard.app.get(RunWorker, { strict: false }).claim(1, runId);
      expect(claims.map((claim) => claim.id)).toEqual([runId]);
    }
    const [row] = await switchboard.ownerQuery<{ seconds: number }>(
      `select min(gap)::float as seconds from (
         select extract(epoch from released_at - lag(released_at) over (order by released_at)) as gap
         from workflow_runs where workflow_id = $1) gaps`,
      [id],
    );
    expect(row!.seconds).toBeGreaterThanOrEqual(1);
  });
});

import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow, trigger } from '../workflows/support/workflow-client.js';
import { runSql, SqlTools } from './sql-tools.js';

const STEPS = [{ id: 'add', tool: 'create_contact', arguments: { external_id: '{{ run.id }}' } }];
const DUE = `available_at = '-infinity'`;

describe('SQL of a tool that holds a lock does not keep waiting', () => {
  let switchboard: Switchboard;
  let hostile: TestOrganization;
  let victim: TestOrganization;
  let holder: Client;

  // No worker changes the rows while a test looks at them.
  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' }, providers: [SqlTools] });
  });
  beforeEach(async () => {
    await switchboard.ownerQuery('delete from workflow_runs');
    hostile = await createOrganization(switchboard, 'Hostile');
    victim = await createOrganization(switchboard, 'Victim');
    holder = new Client({ connectionString: switchboard.databaseUrl });
    await holder.connect();
    await holder.query('begin');
  });
  afterEach(() => holder.end());
  afterAll(() => switchboard.close());

  /** Starts a run of a workflow with the given limits, and returns the ids of the workflow and the run. */
  const start = async (by: TestOrganization, limits?: object): Promise<[string, string]> => {
    const { id } = await createWorkflow(by, STEPS, { trigger: { type: 'manual', limits } });
    return [id, await trigger(by, id)];
  };
  const set = async (by: TestOrganization, ...statements: string[]): Promise<void> => {
    const outcomes = await runSql(by, ...statements);
    expect(outcomes.filter((outcome) => 'error' in outcome)).toEqual([]);
  };
  /** Calls a function of the gate that fails when it waits for a lock. */
  const call = (statement: string) =>
    switchboard.ownerQuery(`select set_config('lock_timeout', '500', false), ${statement}`);
  const statusOf = async (runId: string): Promise<string | undefined> => {
    const [row] = await switchboard.ownerQuery<{ status: string }>(
      'select status from workflow_runs where id = $1',
      [runId],
    );
    return row?.status;
  };
  const waitFor = (childId: string, state = 'armed'): string =>
    `insert into run_waits (organization_id, run_id, step_id, event, state, child_run_id)
     select organization_id, id, 'wait_' || id, 'run.ended', '${state}', '${childId}' from workflow_runs`;

  it('a sweep, when the sweep admits a run of a workflow whose lock is held', async () => {
    const [id, runId] = await start(hostile, { concurrency: { runs: 1 } });
    await set(hostile, `update workflow_runs set status = 'waiting', ${DUE}`);
    await holder.query('select pg_advisory_xact_lock(1763700055, hashtext($1))', [
      `${hostile.id} ${id}`,
    ]);
    await call('gate.wake_runs(20)');
    expect(await statusOf(runId)).toBe('queued');
  });

  it.each(['gate.wake_runs(20)', 'gate.claim_runs(1, null, 15)'])(
    '%s, when the parent of a run that is to be parked is locked',
    async (claim) => {
      const [, crashedId] = await start(hostile);
      const [, runId] = await start(victim);
      await set(
        hostile,
        waitFor(crashedId),
        `update workflow_runs set depth = 1, crashes = 2, status = 'running', ${DUE}`,
      );
      await set(victim, `update workflow_runs set status = 'waiting', ${DUE}`);
      await holder.query('select from run_waits for update');
      await call(claim);
      expect(await statusOf(runId)).toMatch(/queued|running/);
      expect(await statusOf(crashedId)).toBe('running');
      await holder.query('rollback');
      await set(hostile, `update workflow_runs set ${DUE}`);
      await call(claim);
      expect(await statusOf(crashedId)).toBe('failed');
    },
  );

  it('a sweep, when a wait that an event has ended is locked', async () => {
    await start(hostile);
    const [, runId] = await start(victim);
    await set(hostile, waitFor('run_1', 'delivered'));
    await holder.query('select from run_waits for update');
    await set(
      victim,
      waitFor('run_2', 'delivered'),
      `update workflow_runs set status = 'waiting', available_at = 'infinity'`,
    );
    await call('gate.wake_runs(20)');
    expect(await statusOf(runId)).toBe('queued');
  });

  it('a sweep, when the parent of a run that is debounced is locked', async () => {
    await createWorkflow(hostile, STEPS, {
      trigger: { type: 'manual', limits: { debounce: { seconds: 60, key: '{{ contact.id }}' } } },
    });
    await set(
      hostile,
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload, status,
         limited, created_at, depth)
       select w.organization_id, w.id || g, w.id, w.version, 'manual', '\\x7b7d', 'queued', true,
         now() + g * interval '1 s', 1 from workflows w, generate_series(1, 2) g`,
      `update workflow_runs set delayed_by = 'debounce', debounce_key = 'k', delayed_until = '-infinity'`,
      `insert into run_waits (organization_id, run_id, step_id, event, state, child_run_id)
       select organization_id, id, 'wait', 'run.ended', 'armed', id from workflow_runs`,
    );
    const [, runId] = await start(victim);
    await set(victim, `update workflow_runs set status = 'waiting', ${DUE}`);
    await holder.query('select from run_waits for update');
    await call('gate.wake_runs(20)');
    expect(await statusOf(runId)).toBe('queued');
  });

  it('the claim of a wake-up, when the woken run is locked', async () => {
    const [, runId] = await start(hostile, { concurrency: { runs: 1 } });
    await set(hostile, `update workflow_runs set status = 'waiting', ${DUE}`);
    await holder.query('select from workflow_runs for update');
    await call(`gate.claim_runs(1, '${runId}', 15)`);
    expect(await statusOf(runId)).toBe('waiting');
  });
});

describe('SQL of a tool that takes many locks', () => {
  const MOST = 128;
  const ALL = { rows: [{ locked: MOST }] };
  const REFUSED = { error: `A transaction can lock at most ${MOST} names.` };
  let switchboard: Switchboard;
  let hostile: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' }, providers: [SqlTools] });
    hostile = await createOrganization(switchboard, 'Hostile');
  });
  afterAll(() => switchboard.close());

  const lock = (from: number, to: number): string =>
    `select count(lock_name('name ' || g, false))::integer as locked from generate_series(${from}, ${to}) g`;

  it.each([
    ['names', lock(1, 4000)],
    [
      'contacts',
      `select count(*) from generate_series(1, 4000) g, pace_message('msg_x', 'con_' || g, 'email', null)`,
    ],
  ])('is refused, so that it cannot fill the lock table of PostgreSQL: %s', async (_, sql) => {
    expect(await runSql(hostile, sql)).toEqual([REFUSED]);
  });

  it('can lock a name again', async () => {
    const [first, again, more] = await runSql(
      hostile,
      lock(1, MOST),
      lock(1, MOST),
      lock(MOST + 1, MOST + 1),
    );
    expect([first, again, more]).toEqual([ALL, ALL, REFUSED]);
  });

  it('can lock other names after a rollback that released the first ones', async () => {
    const [, first, , second] = await runSql(
      hostile,
      'savepoint a',
      lock(1, MOST),
      'rollback to savepoint a',
      lock(1001, 1000 + MOST),
    );
    expect([first, second]).toEqual([ALL, ALL]);
  });
});

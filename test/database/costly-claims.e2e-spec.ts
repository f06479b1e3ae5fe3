import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';
import { runSql, SqlTools } from './sql-tools.js';

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

const ROWS = 20_000;
/** A claim that skipped all locked rows would read about two pages for each of them. */
const FEW_PAGES = 20_000;
const DUE = `available_at = '-infinity'`;

// The costs are counted in pages, which are the same on every machine, and not in milliseconds.
describe('SQL of a tool', () => {
  let switchboard: Switchboard;
  let hostile: TestOrganization;
  let victim: TestOrganization;
  let holder: Client;

  // No worker changes the rows while a test looks at them.
  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' }, providers: [SqlTools] });
  });
  beforeEach(async () => {
    await switchboard.ownerQuery('delete from messages; delete from workflow_runs');
    hostile = await createOrganization(switchboard, 'Hostile');
    victim = await createOrganization(switchboard, 'Victim');
    holder = new Client({ connectionString: switchboard.databaseUrl });
    await holder.connect();
  });
  afterEach(() => holder.end());
  afterAll(() => switchboard.close());

  const create = (limits?: object): Promise<{ id: string }> =>
    createWorkflow(hostile, [], { trigger: { type: 'manual', limits } });
  const set = async (by: TestOrganization, ...statements: string[]): Promise<void> => {
    const outcomes = await runSql(by, ...statements);
    expect(outcomes.filter((outcome) => 'error' in outcome)).toEqual([]);
  };
  /** Inserts queued runs of the only workflow of an organization, and changes them. */
  const insertRuns = async (by: TestOrganization, runs: number, change: string): Promise<void> => {
    await set(
      by,
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload, status,
         limited)
       select w.organization_id, left(w.id, 20) || g, w.id, w.version, 'manual', '\\x7b7d', 'queued', true
       from workflows w, generate_series(1, ${runs}) g`,
      `update workflow_runs set ${change}`,
    );
  };
  /** Inserts due messages of the hostile organization. */
  const insertMessages = async (status: string): Promise<void> => {
    await hostile.call('create_contact', { external_id: '1' });
    await switchboard.ownerQuery(
      `insert into messages (organization_id, id, contact_id, channel, direction, body, status, due_at)
       select organization_id, 'msg_' || g, id, 'email', 'outbound', '', $2, '-infinity'
       from contacts, generate_series(1, ${ROWS}) g where organization_id = $1`,
      [hostile.id, status],
    );
  };
  /** Locks all rows of a table until the test ends. */
  const lock = async (table: string): Promise<void> => {
    await switchboard.ownerQuery(`vacuum analyze ${table}`);
    await holder.query(`begin; select from ${table} for update`);
  };
  const statusOfVictim = async (): Promise<string | undefined> => {
    const [row] = await switchboard.ownerQuery<{ status: string }>(
      'select status from workflow_runs where organization_id = $1',
      [victim.id],
    );
    return row?.status;
  };
  /** Returns the number of pages that a statement reads. Its changes are rolled back. */
  const pagesOf = async (statement: string): Promise<number> => {
    await switchboard.ownerQuery('begin');
    try {
      // The first call of a session also reads the system catalog.
      await switchboard.ownerQuery(`savepoint first; ${statement}; rollback to savepoint first`);
      const [row] = await switchboard.ownerQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, buffers, format json) ${statement}`,
      );
      const plan = row!['QUERY PLAN'][0].Plan;
      return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    } finally {
      await switchboard.ownerQuery('rollback');
    }
  };

  it('cannot make a sweep of limits costly with large options of a trigger and many keys', async () => {
    await create({ concurrency: { runs_per_key: 1, key: '{{ trigger.payload.key }}' } });
    // One run of each key has the only slot of the key, and one run waits for it.
    await set(
      hostile,
      `update workflows set trigger_options = json_build_object('limits', trigger_options -> 'limits',
         'x', (select string_agg(md5(g::text), '') from generate_series(1, 12000) g))`,
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload, status,
         limited, slot_key)
       select w.organization_id, left(w.id, 20) || status || g, w.id, w.version, 'manual', '\\x7b7d', status, true,
         'key' || g
       from workflows w, generate_series(1, 1000) g, unnest(array['queued', 'running']) status`,
      `update workflow_runs set delayed_by = 'key' where status = 'queued'`,
      `update workflow_runs set delayed_by = null, available_at = 'infinity' where status = 'running'`,
    );
    await switchboard.ownerQuery('vacuum analyze workflow_runs');
    expect(await pagesOf('select * from gate.sweep_run_limits()')).toBeLessThan(30_000);
  });

  it('cannot make a sweep that parks a run costly with many ended waits for this run and open waits for another run', async () => {
    await create();
    await insertRuns(hostile, 1, `depth = 1, crashes = 2, status = 'running', ${DUE}`);
    await set(
      hostile,
      `insert into run_waits (organization_id, run_id, step_id, event, state, child_run_id)
       select organization_id, id, state || g, 'run.ended', state, case state when 'closed' then id else 'run_x' end
       from workflow_runs, generate_series(1, ${ROWS}) g, unnest(array['armed', 'closed']) state`,
    );
    await switchboard.ownerQuery('vacuum analyze run_waits');
    await switchboard.ownerQuery('begin');
    try {
      await switchboard.ownerQuery('select * from gate.wake_runs(20)');
      const [read] = await switchboard.ownerQuery<{ rows: number }>(
        `select idx_tup_fetch::int as rows from pg_stat_xact_user_tables where relname = 'run_waits'`,
      );
      expect(read!.rows).toBeLessThan(100);
    } finally {
      await switchboard.ownerQuery('rollback');
    }
  });

  it.each([
    ['a claim', 'queued runs', `delayed_by = null, ${DUE}`, 'gate.claim_runs(10, null, 15)'],
    ['a sweep', 'runs that a rate delays', `delayed_by = 'rate'`, 'gate.sweep_run_limits()'],
    ['a sweep', 'runs that wait for a slot', `delayed_by = 'slot'`, 'gate.sweep_run_limits()'],
  ])('cannot make %s costly with locked %s', async (_work, _runs, change, statement) => {
    await create();
    await insertRuns(hostile, ROWS, change);
    await lock('workflow_runs');
    expect(await pagesOf(`select * from ${statement}`)).toBeLessThan(FEW_PAGES);
  });

  it('cannot make a claim costly with locked messages', async () => {
    await insertMessages('queued');
    await lock('messages');
    expect(await pagesOf('select * from gate.claim_messages(10, null, 15)')).toBeLessThan(
      FEW_PAGES,
    );
  });

  it('cannot make a claim costly with messages that are being sent', async () => {
    await insertMessages('sending');
    await switchboard.ownerQuery(`update messages set lease_until = 'infinity'`);
    await switchboard.ownerQuery('vacuum analyze messages');
    await switchboard.ownerQuery('begin');
    try {
      await switchboard.ownerQuery('select * from gate.claim_messages(10, null, 15)');
      const [read] = await switchboard.ownerQuery<{ rows: number }>(
        `select idx_tup_fetch::int as rows from pg_stat_xact_user_tables where relname = 'messages'`,
      );
      expect(read!.rows).toBeLessThan(ROWS * 0.6);
    } finally {
      await switchboard.ownerQuery('rollback');
    }
  });

  it('cannot keep a worker with one slot from the run of another organization with a locked run', async () => {
    await create();
    await createWorkflow(victim, [], { trigger: { type: 'manual' } });
    await insertRuns(hostile, 1, `limited = false, ${DUE}`);
    await lock('workflow_runs');
    await insertRuns(victim, 1, 'limited = false, available_at = now()');
    // The turn of the hostile organization comes first.
    const share = { after: hostile.id.slice(0, -1), room: 1, rooms: {} };
    await switchboard.ownerQuery('select * from gate.claim_runs(1, null, 15, $1)', [
      JSON.stringify(share),
    ]);
    expect(await statusOfVictim()).toBe('running');
  });

  it('cannot keep a worker with one slot from the run of another organization with locked runs of several organizations', async () => {
    await createWorkflow(victim, [], { trigger: { type: 'manual' } });
    for (let count = 0; count < 5; count += 1) {
      hostile = await createOrganization(switchboard, 'Hostile');
      await create();
      await insertRuns(hostile, 1, `limited = false, ${DUE}`);
    }
    await lock('workflow_runs');
    await insertRuns(victim, 1, 'limited = false, available_at = now()');
    // The turn of the victim comes last.
    const share = { after: victim.id, room: 1, rooms: {} };
    await switchboard.ownerQuery('select * from gate.claim_runs(1, null, 15, $1)', [
      JSON.stringify(share),
    ]);
    expect(await statusOfVictim()).toBe('running');
  });

  it('cannot keep the delivered wait of another organization waiting with many waits of a locked run', async () => {
    await create();
    await createWorkflow(victim, [], { trigger: { type: 'manual' } });
    await insertRuns(hostile, 1, `status = 'waiting', available_at = 'infinity'`);
    const waits = (count: number): string =>
      `insert into run_waits (organization_id, run_id, step_id, event, state)
       select organization_id, id, 'step_' || g, 'test', 'delivered' from workflow_runs, generate_series(1, ${count}) g`;
    await set(hostile, waits(1000));
    await lock('workflow_runs');
    await insertRuns(victim, 1, `status = 'waiting', available_at = 'infinity', limited = false`);
    await set(victim, waits(1));
    await switchboard.ownerQuery('select * from gate.wake_runs(20)');
    expect(await statusOfVictim()).toBe('queued');
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';
import { runSql, SqlTools } from './sql-tools.js';

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

// The costs are counted in pages, which are the same on every machine, and not in milliseconds.
describe('rows that SQL of a tool stores do not make costly', () => {
  let switchboard: Switchboard;
  let hostile: TestOrganization;

  // No worker changes the rows while a test looks at them.
  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' }, providers: [SqlTools] });
  });
  beforeEach(async () => {
    await switchboard.ownerQuery('delete from workflow_runs');
    hostile = await createOrganization(switchboard, 'Hostile');
  });
  afterAll(() => switchboard.close());

  const create = (limits?: object): Promise<{ id: string }> =>
    createWorkflow(hostile, [], { trigger: { type: 'manual', limits } });
  const set = async (...statements: string[]): Promise<void> => {
    const outcomes = await runSql(hostile, ...statements);
    expect(outcomes.filter((outcome) => 'error' in outcome)).toEqual([]);
  };
  /** Returns the number of pages that a statement reads. Its changes are rolled back. */
  const pagesOf = async (statement: string): Promise<number> => {
    await switchboard.ownerQuery('vacuum analyze workflow_runs, run_waits');
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

  it('a sweep of limits, by large options of a trigger and many keys', async () => {
    await create({ concurrency: { runs_per_key: 1, key: '{{ trigger.payload.key }}' } });
    // One run of each key has the only slot of the key, and one run waits for it.
    await set(
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
    expect(await pagesOf('select * from gate.sweep_run_limits()')).toBeLessThan(30_000);
  });
});

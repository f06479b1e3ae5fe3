import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { IS_THOROUGH } from '../support/thorough.js';
import { insertRuns } from './support/backlog.js';
import { createWorkflow } from './support/workflow-client.js';

interface Cost {
  claimed: number;
  /** The number of pages of tables and indexes that were read. */
  pages: number;
  scans: number;
}

// With fewer rows, reading the whole table is the best plan.
const RUNS = IS_THOROUGH ? 100_000 : 40_000;
const SHARE = JSON.stringify({ after: 'org_M', room: 10, rooms: {} });

// The cost is counted in pages, which are the same on every machine, and not in milliseconds.
describe('the cost of a claim', () => {
  let switchboard: Switchboard;
  let organizations: TestOrganization[];
  let workflowIds: string[];
  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    organizations = [];
    workflowIds = [];
    for (let count = 0; count < 20; count += 1) {
      const organization = await createOrganization(switchboard);
      organizations.push(organization);
      workflowIds.push((await createWorkflow(organization, [])).id);
    }
  });
  afterAll(() => switchboard.close());

  /** Claims runs in a transaction that is rolled back, and returns the cost. */
  const claim = async (most: number): Promise<Cost> => {
    await switchboard.ownerQuery('begin');
    try {
      // The first claim of a session also reads the system catalog.
      await switchboard.ownerQuery('select * from gate.claim_runs(1, null, 15, $1)', [SHARE]);
      const [explained] = await switchboard.ownerQuery<{ 'QUERY PLAN': [{ Plan: PlanShape }] }>(
        `explain (analyze, buffers, format json) select * from gate.claim_runs(${most}, null, 15, '${SHARE}')`,
      );
      const plan = explained!['QUERY PLAN'][0].Plan;
      const [table] = await switchboard.ownerQuery<{ scans: number }>(
        `select seq_scan::int as scans from pg_stat_xact_user_tables where relname = 'workflow_runs'`,
      );
      return {
        claimed: plan['Actual Rows'],
        pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
        scans: table!.scans,
      };
    } finally {
      await switchboard.ownerQuery('rollback');
    }
  };
  const insert = async (from: number, to: number, each: number, waiting = false): Promise<void> => {
    for (let index = from; index < to; index += 1) {
      const backlog = waiting ? ({ status: 'waiting', secondsFromNow: 3600 } as const) : {};
      await insertRuns(switchboard, organizations[index]!, workflowIds[index]!, each, backlog);
    }
    await switchboard.ownerQuery('analyze workflow_runs');
  };

  it.each([
    [`${RUNS} runs of one organization are queued`, 1, RUNS],
    [`${RUNS} runs of 20 organizations are queued`, 20, RUNS / 20],
  ])('does not grow when %s, and the same number of runs wait', async (_, among, each) => {
    await switchboard.ownerQuery('truncate workflow_runs cascade');
    // The smaller backlog is a fiftieth of the larger one. Without runs, each index would have only one page.
    await insert(0, among, each / 50);
    const before = { one: await claim(1), ten: await claim(10) };
    await switchboard.ownerQuery('truncate workflow_runs cascade');
    await insert(0, among, each);
    await insert(0, 20, RUNS / 20, true);
    const after = { one: await claim(1), ten: await claim(10) };
    for (const most of ['one', 'ten'] as const) {
      expect(after[most].claimed).toBe(most === 'one' ? 1 : 10);
      expect(before[most].claimed).toBe(after[most].claimed);
      expect(after[most].scans).toBe(0);
      expect(after[most].pages).toBeLessThan(before[most].pages * 3);
    }
  });
});

interface PlanShape {
  'Actual Rows': number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { runFilter } from '../../src/workflows/runs/run-filter.js';
import { RunSearchRepository } from '../../src/workflows/runs/run-search.repository.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { IS_THOROUGH, sample } from '../support/thorough.js';
import { createWorkflow, type RunShape } from './support/workflow-client.js';

const RUNS = Number(process.env.FILTER_RUNS ?? (IS_THOROUGH ? 60_000 : 40_000));
/** The largest number of rows that one page may read: 5000 runs of each of six statuses. */
const MOST_READ = 30_000;
const DAY_MS = 86_400_000;

interface Node {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

describe('a list of runs', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let busy: string;
  let quiet: string;
  let contact: string;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    acme = await createOrganization(switchboard);
    busy = (await createWorkflow(acme, [])).id;
    quiet = (await createWorkflow(acme, [])).id;
    const made = await acme.call<{ contact: { id: string } }>('create_contact', {
      email: 'a@example.com',
    });
    contact = made.value.contact.id;
    // Nearly all runs are of the busy workflow. The few runs of the quiet workflow are the oldest, so a scan that
    // begins at the newest run would read all rows to find them.
    await switchboard.ownerQuery(
      `insert into workflow_runs (organization_id, id, workflow_id, workflow_version, trigger_type, payload, status,
         reason, contact_id, created_at, started_at, finished_at)
       select $1, 'run_' || lpad(n::text, 22, '0'), case when n <= 40 then $3 else $2 end, 1,
         case n % 50 when 7 then 'schedule' else 'webhook' end, '{}',
         case when n in (3, 13) then 'canceled' when n % 10 = 0 then 'failed' when n % 1000 = 1 then 'queued'
           else 'succeeded' end,
         case when n in (3, 13) then 'requested' when n in (20, 100) then 'poison'
           when n % 10 = 0 then 'step_failed:' || case n % 20 when 0 then 'a' else 'b' end end,
         case when n <= 60 and n % 3 = 0 then $4 end,
         at, at, case when n % 1000 = 1 then null else at + interval '1 hour' end
       from (select n, date_trunc('milliseconds', now()) - ($5::int - n) * interval '10 s' as at
         from generate_series(1, $5::int) n) numbered`,
      [acme.id, busy, quiet, contact, RUNS],
    );
    await switchboard.ownerQuery('analyze workflow_runs');
  });
  afterAll(() => switchboard.close());

  const oldest = () => new Date(Date.now() - (RUNS - 45) * 10_000).toISOString();
  const filters: [string, () => Record<string, unknown>, string][] = [
    ['nothing', () => ({}), 'true'],
    ['a rare workflow', () => ({ workflow_id: quiet }), 'workflow_id = $2'],
    ['a rare state', () => ({ status: 'canceled' }), `status = 'canceled'`],
    [
      'the status unfinished',
      () => ({ status: 'unfinished' }),
      `status in ('queued', 'waiting', 'running')`,
    ],
    [
      'a state of a workflow',
      () => ({ workflow_id: quiet, status: 'failed' }),
      `workflow_id = $2 and status = 'failed'`,
    ],
    [
      'a state that a workflow is not in',
      () => ({ workflow_id: busy, status: 'canceled' }),
      'false',
    ],
    ['a contact', () => ({ contact_id: contact }), 'contact_id is not null'],
    [
      'a contact and a state',
      () => ({ contact_id: contact, status: 'failed' }),
      `contact_id is not null and status = 'failed'`,
    ],
    ['a rare reason', () => ({ reason: 'poison' }), `reason = 'poison'`],
    [
      'one reason of a rare workflow',
      () => ({ reason: 'step_failed:b', workflow_id: quiet }),
      `reason = 'step_failed:b' and workflow_id = $2`,
    ],
    ['a kind of reason', () => ({ reason: 'step_failed' }), `reason like 'step_failed:%'`],
    ['a reason and another state', () => ({ reason: 'poison', status: 'canceled' }), 'false'],
    ['a trigger', () => ({ trigger_type: 'schedule' }), `trigger_type = 'schedule'`],
    ['a trigger that no run has', () => ({ trigger_type: 'event' }), 'false'],
    [
      'a trigger of a rare workflow',
      () => ({ trigger_type: 'schedule', workflow_id: quiet }),
      `trigger_type = 'schedule' and workflow_id = $2`,
    ],
    ['before a time', () => ({ created_before: oldest() }), 'created_at < $3'],
    [
      'after a time and a state',
      () => ({ created_after: oldest(), status: 'queued' }),
      `created_at >= $3 and status = 'queued'`,
    ],
    ['ended before a time', () => ({ finished_before: oldest() }), 'finished_at < $3'],
    [
      'ended after a time',
      () => ({ finished_after: new Date(Date.now() + DAY_MS).toISOString() }),
      'false',
    ],
  ];

  it.each(sample(filters, 3))(
    'finds exactly the matching runs by %s, in any number of pages',
    async (_, given, sql) => {
      const [at] = [oldest()];
      const input: Record<string, unknown> = { ...given() };
      for (const name of ['created_before', 'created_after', 'finished_before']) {
        if (input[name] !== undefined) input[name] = at;
      }
      const expected = await switchboard.ownerQuery<{ id: string }>(
        `select id from workflow_runs where organization_id = $1 and ($2 <> '') and ($3::timestamptz is not null)
         and (${sql}) order by created_at desc, id desc limit 250`,
        [acme.id, quiet, at],
      );
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const {
          value,
          error,
        }: { value: { runs: RunShape[]; next_cursor: string | null }; error?: object } =
          await acme.call('list_runs', {
            ...input,
            limit: 100,
            ...(cursor !== null && { cursor }),
          });
        expect(error).toBeUndefined();
        seen.push(...value.runs.map(({ id }) => id));
        cursor = value.next_cursor;
      } while (cursor !== null && seen.length < 250);
      expect(seen.slice(0, 250)).toEqual(expected.map(({ id }) => id));
    },
  );

  it.each(sample(filters, 3))(
    'reads a bounded number of runs for a page by %s',
    async (_, given) => {
      const client = new Client({ connectionString: switchboard.databaseUrl });
      await client.connect();
      try {
        let plan: Node | undefined;
        // Explains the statement of the repository instead of executing it.
        const explained = {
          session: () => ({
            query: async (sql: string, values: unknown[]) => {
              const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Node }[] }>(
                `explain (analyze, format json) ${sql}`,
                values,
              );
              plan = rows[0]!['QUERY PLAN'][0]!.Plan;
              return [];
            },
          }),
        } as unknown as TenantDatabase;
        await new RunSearchRepository(explained).find(acme.id, runFilter(given()), undefined, 20);
        const scans = nodesOf(plan!).filter((node) => node['Node Type'].includes('Scan'));
        const read = scans
          .filter((node) => !['Function Scan', 'Subquery Scan'].includes(node['Node Type']))
          .reduce(
            (sum, node) =>
              sum +
              (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
            0,
          );
        expect(scans.map((node) => node['Node Type'])).not.toContain('Seq Scan');
        expect(read).toBeLessThanOrEqual(MOST_READ);
      } finally {
        await client.end();
      }
    },
  );

  it('refuses a malformed time, and names the argument', async () => {
    for (const name of ['created_after', 'created_before', 'finished_after', 'finished_before']) {
      const { error } = await acme.call('list_runs', { [name]: 'yesterday' });
      expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path: name }] });
    }
  });
});

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

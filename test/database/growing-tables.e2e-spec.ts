import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StatisticsWorker } from '../../src/operations/statistics.worker.js';
import { createOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

let switchboard: Switchboard;
let client: Client;
beforeAll(async () => {
  switchboard = await startSwitchboard();
  client = new Client({ connectionString: switchboard.databaseUrl });
  await client.connect();
  // Without this setting, autovacuum could collect the statistics before Switchboard does.
  await client.query('alter table contacts set (autovacuum_enabled = off)');
  await client.query('set plan_cache_mode = force_generic_plan');
  await client.query(
    'prepare by_email as select id from contacts where organization_id = $1 and email = $2',
  );
});
afterAll(async () => {
  await client?.end();
  await switchboard?.close();
});

async function planOfLookup(): Promise<string> {
  const { rows } = await client.query<Record<string, string>>(
    `explain execute by_email('org', 'someone@example.com')`,
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

it('a growing table gets statistics, which replace a plan that was made while it was empty', async () => {
  const { id } = await createOrganization(switchboard);
  // All indexes of an empty table cost the same. The plan is kept while the table grows.
  expect(await planOfLookup()).not.toContain('contacts_organization_id_email_key');
  await client.query(
    `insert into contacts (organization_id, id, email, search_text)
     select $1, 'con_' || n, n || '@example.com', n::text from generate_series(1, 1000) n`,
    [id],
  );
  expect(await planOfLookup()).not.toContain('contacts_organization_id_email_key');
  const worker = switchboard.app.get(StatisticsWorker);
  await waitFor(async () => {
    await worker.analyze();
    return (await planOfLookup()).includes('contacts_organization_id_email_key');
  });
});

it('a table that has not doubled in size is not analyzed', async () => {
  const count = async (): Promise<number> => {
    const { rows } = await client.query<{ analyze_count: number }>(
      `select analyze_count::integer from pg_stat_user_tables where relname = 'contacts'`,
    );
    return rows[0]!.analyze_count;
  };
  await client.query(`update contacts set first_name = 'Ada' where id <= 'con_2'`);
  const before = await count();
  await client.query('select pg_stat_force_next_flush()');
  await switchboard.app.get(StatisticsWorker).analyze();
  expect(await count()).toBe(before);
});

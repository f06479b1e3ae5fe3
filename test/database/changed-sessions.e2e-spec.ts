import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow, sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { dumpGrants } from './dump-grants.js';
import { SESSION_CHANGES } from './session-changes.js';
import { runSql, SqlTools } from './sql-tools.js';

/** `npm run test:slow` runs all attacks, `npm test` every ninth one. */
const ATTACKS = sample(SESSION_CHANGES, 9);

describe('SQL that changes its session', () => {
  let switchboard: Switchboard;
  let hostile: TestOrganization;
  let victim: TestOrganization;
  let counter = 0;
  let before: unknown;

  beforeAll(async () => {
    // The pool returns the connection that was used last, so each transaction gets the connection of the previous one.
    switchboard = await startSwitchboard({
      env: { ROLE: 'web', DATABASE_POOL_SIZE: '2' },
      providers: [SqlTools],
    });
    hostile = await createOrganization(switchboard, 'Hostile');
    victim = await createOrganization(switchboard, 'Victim');
    before = await sharedState();
  });
  afterAll(() => switchboard.close());

  /**
   * Returns the settings that all organizations share and that no organization may change. The settings of
   * other databases on the server are left out, because other tests change them at the same time.
   */
  const sharedState = async (): Promise<unknown> => {
    const owner = new Client({ connectionString: switchboard.databaseUrl });
    await owner.connect();
    try {
      const { rows } = await owner.query(
        `select (select count(*) from pg_class where relnamespace::regnamespace::text !~ '^pg_toast') as classes,
           (select count(*) from pg_proc) as functions, (select count(*) from pg_namespace) as schemas,
           (select count(*) from pg_policy) as policies, (select count(*) from pg_trigger) as triggers,
           (select count(*) from pg_largeobject_metadata) as large_objects, (select count(*) from pg_type) as types,
           (select count(*) from pg_db_role_setting where setdatabase in (0, own.oid)) as settings,
           (select count(*) from pg_prepared_xacts where database = own.datname) as prepared,
           (select json_agg(a order by a.oid) from pg_authid a where rolname = $1) as role,
           (select json_agg(obj_description(c.oid)) from pg_class c) as comments
         from pg_database own where own.datname = current_database()`,
        [switchboard.access.tenant.user],
      );
      return [rows, await dumpGrants(owner)];
    } finally {
      await owner.end();
    }
  };

  /** Lists calls of another organization that read, write, list and count. */
  const useNormally = async (organization: TestOrganization): Promise<void> => {
    counter += 1;
    const email = `person${counter}@example.com`;
    const created = await organization.call<{ contact: { id: string }; created: boolean }>(
      'create_contact',
      { email, tags: ['a'] },
    );
    expect(created.error).toBeUndefined();
    expect(created.value.created).toBe(true);
    const { id } = created.value.contact;
    const updated = await organization.call<{ contact: { first_name: string } }>('update_contact', {
      contact_id: id,
      first_name: 'Ada',
    });
    expect(updated.value.contact.first_name).toBe('Ada');
    const found = await organization.call<{ contacts: { email: string }[] }>('search_contacts', {
      query: email,
    });
    expect(found.value.contacts.map((contact) => contact.email)).toEqual([email]);
    const [row] = await switchboard.ownerQuery<{ organization: string; entries: number }>(
      `select organization_id as organization, (select count(*)::integer from audit_log a
         where a.organization_id = c.organization_id and a.subject = c.id) as entries
       from contacts c where c.id = $1`,
      [id],
    );
    expect(row).toEqual({ organization: organization.id, entries: 2 });
  };

  it('is tested with at least 200 attacks', () => {
    expect(SESSION_CHANGES.length).toBeGreaterThanOrEqual(200);
  });

  it.each(ATTACKS)('%s does not reach the next transaction', async (_what, statements) => {
    // The attack may succeed or fail. The test checks the calls after it.
    const seen = await runSql(hostile, ...statements);
    await useNormally(victim);
    const [state] = await switchboard.ownerQuery<{ locks: number }>(
      `select count(*)::integer as locks from pg_locks where locktype = 'advisory' and database =
         (select oid from pg_database where datname = current_database())`,
    );
    expect(state!.locks).toBe(0);
    expect(JSON.stringify(seen)).not.toContain(victim.id);
  });

  // These tests run in order. This test checks the state after all of them.
  it('leaves the role, the grants and the objects of the database as they were', async () => {
    expect(await sharedState()).toEqual(before);
  });

  const isAsleep = async (): Promise<boolean> => {
    const rows = await switchboard.ownerQuery(
      `select from pg_stat_activity
       where datname = current_database() and state = 'active' and wait_event = 'PgSleep'`,
    );
    return rows.length > 0;
  };

  it('keeps no lock after its connection was closed because of an answer that is too large', async () => {
    const seen = await runSql(
      hostile,
      'set statement_timeout = 0',
      'lock table contacts in access exclusive mode',
      // The second row pushes the first one out of the buffer of PostgreSQL, so the answer is refused during the sleep.
      `select ('[' || repeat('1,', 600000) || '1]')::json union all
       select to_json(repeat('x', 20000)) union all select to_json(pg_sleep(600)::text)`,
    );
    expect(seen.at(-1)).toHaveProperty('error');
    await waitFor(async () => !(await isAsleep()));
    await useNormally(victim);
  });

  itSlow(
    'keeps its locks and its connection for at most 30 s, even when it removes the time limits',
    async () => {
      const running = runSql(
        hostile,
        'set statement_timeout = 0',
        'lock table contacts in access exclusive mode',
        'select pg_sleep(600)',
      );
      await waitFor(isAsleep);
      const given = { email: 'after@example.com' };
      await waitFor(async () => (await victim.call('create_contact', given)).error === undefined);
      await waitFor(async () => !(await isAsleep()));
      expect((await running).at(-1)).toHaveProperty('error');
      await useNormally(hostile);
    },
  );
});

import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { assertIsolated } from '../../src/database/setup/assert-isolated.js';
import type { DatabaseAccess } from '../../src/database/setup/database-access.js';
import { createTestDatabase } from '../support/database.js';

type Kind = (typeof KINDS)[number];
const KINDS = ['tenant', 'gate'] as const;

let owner: Client;
let access: DatabaseAccess;

/** Creates a database, connects as its owner, and returns a function that undoes both. */
async function open(): Promise<() => Promise<void>> {
  const database = await createTestDatabase();
  access = database.access;
  owner = new Client({ connectionString: database.url });
  await owner.connect();
  return async () => {
    await owner.end();
    await database.drop();
  };
}

describe(`${assertIsolated.name} of a database`, () => {
  let close: () => Promise<void>;
  beforeEach(async () => {
    close = await open();
  });
  afterEach(() => close());

  it('accepts a newly migrated database', async () => {
    await expect(assertIsolated(access)).resolves.toBeUndefined();
  });

  it.each([
    ['a table without FORCE', 'alter table contacts no force row level security', /contacts/],
    [
      'a table without row-level security',
      'alter table contacts disable row level security',
      /contacts/,
    ],
    [
      'a policy that allows every row',
      'drop policy tenant on contacts; create policy tenant on contacts using (true) with check (true)',
      /contacts/,
    ],
    [
      'a second policy that allows every row',
      'create policy open on contacts using (true)',
      /contacts/,
    ],
    ['a policy without a check', 'alter policy tenant on contacts with check (true)', /contacts/],
    [
      'a policy that only mentions the organization',
      `alter policy tenant on contacts using (organization_id = (select current_organization()) or true)`,
      /contacts/,
    ],
    [
      'a new table without isolation',
      'create table forgotten (id text); grant select on forgotten to public',
      /forgotten/,
    ],
    [
      'a table in another schema',
      'create schema other; create table other.forgotten (id text); grant select on other.forgotten to public',
      /other\.forgotten/,
    ],
    [
      'a new table with a grant on one column',
      'create table forgotten (id text); grant select (id) on forgotten to public',
      /forgotten/,
    ],
    [
      'a new table that can be emptied',
      'create table forgotten (id text); grant truncate on forgotten to public',
      /forgotten/,
    ],
    [
      'a materialized view',
      'create materialized view everybody as select * from contacts; grant select on everybody to public',
      /everybody/,
    ],
    [
      'a context function that returns an organization without a context',
      `create or replace function current_organization() returns text language sql as $$ select 'org_x' $$`,
      /returns an organization although no context is set/,
    ],
    [
      'a view that reads as its owner',
      'create view everybody as select * from contacts; grant select on everybody to public',
      /everybody/,
    ],
    [
      'secrets that every role can read',
      'grant usage on schema private to public; grant select on private.installation to public',
      /installation/,
    ],
    [
      'a context function that ignores the signature',
      `create or replace function current_organization() returns text language sql as
         $$ select split_part(current_setting('switchboard.context', true), '.', 1) $$`,
      /current_organization/,
    ],
  ])('rejects %s', async (_, sql, message) => {
    await owner.query(sql);
    await expect(assertIsolated(access)).rejects.toThrow(message);
  });

  it('rejects synchronous_commit off, which can lose acknowledged work', async () => {
    const { rows } = await owner.query<{ name: string }>('select current_database() as name');
    await owner.query(`alter database ${rows[0]!.name} set synchronous_commit = off`);
    await expect(assertIsolated(access)).rejects.toThrow('synchronous_commit');
  });
});

// Roles belong to the whole server, so these tests create roles and do not change the roles of other test files.
describe(`${assertIsolated.name} of roles`, () => {
  let close: () => Promise<void>;
  let dropRole: () => Promise<void>;
  beforeAll(async () => {
    close = await open();
    // Only a role with USAGE on their schema can call these functions.
    await owner.query(`
      create schema other;
      create function other.loose() returns text language sql security definer as $$ select 'x' $$;
      create function gate.loose() returns text language sql security definer as $$ select 'x' $$`);
    await owner.query('revoke execute on function gate.loose() from public');
  });
  afterEach(() => dropRole());
  afterAll(() => close());

  describe.each(KINDS)('for the %s role', (kind) => {
    it.each([
      ['is a superuser', 'superuser'],
      ['bypasses row-level security', 'bypassrls'],
      ['may create roles', 'createrole'],
      ['may create databases', 'createdb'],
      ['may replicate the database', 'replication'],
    ])('rejects a role that %s', async (what, attribute) => {
      const own = await ownRole(kind, attribute);
      await expect(assertIsolated(own)).rejects.toThrow(`${kind} role: ${what}`);
    });

    it.each<[what: string, grant: (role: string) => string, message: string]>([
      ['may create schemas', (role) => `grant create on database %I to ${role}`, 'create schemas'],
      [
        'may create temporary tables',
        (role) => `grant temporary on database %I to ${role}`,
        'create temporary tables',
      ],
      [
        'may create objects in public',
        (role) => `grant create on schema public to ${role}`,
        'create objects in a schema',
      ],
      [
        'may create objects in a schema of somebody else',
        (role) => `grant create on schema other to ${role}`,
        'create objects in a schema',
      ],
      [
        'is a member of another role',
        (role) => `grant pg_read_all_settings to ${role}`,
        'is a member of another role',
      ],
      ['owns a table', (role) => `alter table contacts owner to ${role}`, 'owns objects'],
      [
        'owns a function',
        (role) => `alter function public.assert_lease(bigint) owner to ${role}`,
        'owns objects',
      ],
      ['owns a schema', (role) => `create schema owned authorization ${role}`, 'owns objects'],
      [
        'can read the users',
        (role) => `grant usage on schema gate to ${role}; grant select on gate.users to ${role}`,
        'gate.users: is open',
      ],
      [
        'can read one column of the secrets',
        (role) => `grant select (context_key) on private.installation to ${role}`,
        'private.installation: is open',
      ],
      [
        'can call a function of the gate that runs as its owner without a search path',
        (role) =>
          `grant usage on schema gate to ${role}; grant execute on function gate.loose() to ${role}`,
        'gate.loose(): runs as its owner',
      ],
      [
        'can call a function of another schema that runs as its owner without a search path',
        (role) => `grant usage on schema other to ${role}`,
        'other.loose(): runs as its owner',
      ],
    ])('rejects a role that %s', async (_, grant, message) => {
      const own = await ownRole(kind);
      const { rows } = await owner.query<{ name: string }>('select current_database() as name');
      await owner.query(grant(own[kind].user).replace('%I', rows[0]!.name));
      await expect(assertIsolated(own)).rejects.toThrow(message);
    });
  });

  it.each([
    ['contacts', 'select'],
    ['organizations', 'update'],
  ])('rejects a gate role with a grant on %s', async (table, privilege) => {
    const own = await ownRole('gate');
    await owner.query(`grant ${privilege} on ${table} to ${own.gate.user}`);
    await expect(assertIsolated(own)).rejects.toThrow(
      `public.${table}: is open to the gate role, which may only call functions`,
    );
  });

  it.each([
    ['organizations', 'insert'],
    ['organizations', 'update (name)'],
    ['organizations', 'delete'],
    ['memberships', 'insert'],
    ['memberships', 'update'],
    ['memberships', 'delete'],
    ['api_keys', 'insert (hash)'],
    ['api_keys', 'update'],
    ['api_keys', 'delete'],
    ['audit_log', 'update (action)'],
    ['audit_log', 'delete'],
    ['audit_log', 'truncate'],
  ])('rejects a tenant role with a grant on %s to %s', async (table, privilege) => {
    const own = await ownRole('tenant');
    await owner.query(`grant ${privilege} on ${table} to ${own.tenant.user}`);
    await expect(assertIsolated(own)).rejects.toThrow(
      `public.${table}: is open to the tenant role for ${privilege.split(' ')[0]}`,
    );
  });

  it('accepts the views of pg_stat_statements in public, as hosted PostgreSQL has them', async () => {
    await owner.query('create extension pg_stat_statements');
    const own = await ownRole('tenant');
    const { rows } = await owner.query<{ open: boolean }>(
      `select has_table_privilege('${own.tenant.user}', 'public.pg_stat_statements', 'select') as open`,
    );
    expect(rows).toEqual([{ open: true }]);
    await expect(assertIsolated(own)).resolves.toBeUndefined();
    await owner.query('drop extension pg_stat_statements');
  });

  it('names the statement that revokes access to the views of another extension', async () => {
    await owner.query('create extension pg_buffercache');
    await owner.query('grant select on pg_buffercache to public');
    const own = await ownRole('tenant');
    await expect(assertIsolated(own)).rejects.toThrow(
      'public.pg_buffercache: is open to the tenant role, because the extension pg_buffercache grants it to ' +
        'everybody. As an administrator run: revoke all on public.pg_buffercache from public',
    );
    await owner.query('drop extension pg_buffercache');
  });

  it.each(KINDS)('accepts a %s role without forbidden privileges', async (kind) => {
    await expect(assertIsolated(await ownRole(kind))).resolves.toBeUndefined();
  });

  /** Creates a role with the given attribute until the end of the test. Returns the access data with this role. */
  async function ownRole(kind: Kind, attribute = ''): Promise<DatabaseAccess> {
    const user = `test_role_${process.pid}_${Date.now()}`;
    await owner.query(`create role ${user} login password 'test' ${attribute}`);
    await owner.query(`grant usage on schema public to ${user}`);
    dropRole = async () => {
      await owner.query(`drop schema if exists owned`);
      await owner.query(`reassign owned by ${user} to current_user`);
      await owner.query(`drop owned by ${user}`);
      await owner.query(`drop role ${user}`);
    };
    return { ...access, [kind]: { user, password: 'test' } };
  }
});

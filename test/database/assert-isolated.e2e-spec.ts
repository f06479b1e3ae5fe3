import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assertIsolated } from '../../src/database/setup/assert-isolated.js';
import type { DatabaseAccess } from '../../src/database/setup/database-access.js';
import { prepareDatabase } from '../../src/database/setup/prepare-database.js';
import { createTestDatabase } from '../support/database.js';

let owner: Client;
let access: DatabaseAccess;
let undo: (() => Promise<unknown>)[];

beforeEach(async () => {
  const database = await createTestDatabase();
  access = await prepareDatabase(database.url, { waitMs: 5000, log: () => undefined });
  owner = new Client({ connectionString: database.url });
  await owner.connect();
  undo = [() => owner.end(), database.drop];
});
afterEach(async () => {
  for (const action of undo) await action();
});

describe(assertIsolated.name, () => {
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
      'a policy that lets everything through',
      'drop policy tenant on contacts; create policy tenant on contacts using (true) with check (true)',
      /contacts/,
    ],
    [
      'a second policy that lets everything through',
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
      'a new table that forgot about isolation',
      'create table forgotten (id text); grant select on forgotten to public',
      /forgotten/,
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

  // Roles belong to the whole server, so these tests create roles instead of changing those of other test files.
  it.each([
    ['is a superuser', 'superuser'],
    ['bypasses row-level security', 'bypassrls'],
    ['may create roles', 'createrole'],
  ])('rejects a tenant role that %s', async (what, attribute) => {
    const own = await ownTenantRole(attribute);
    await expect(assertIsolated(own)).rejects.toThrow(`tenant role: ${what}`);
  });

  it('rejects a tenant role that owns a table', async () => {
    const own = await ownTenantRole('');
    await owner.query(`alter table contacts owner to ${own.tenant.user}`);
    undo.splice(0, 0, () => owner.query('alter table contacts owner to current_user'));
    await expect(assertIsolated(own)).rejects.toThrow('tenant role: owns tables');
  });

  it('rejects a tenant role that is a member of another role', async () => {
    const own = await ownTenantRole('');
    await owner.query(`grant ${access.tenant.user} to ${own.tenant.user}`);
    await expect(assertIsolated(own)).rejects.toThrow('is a member of another role');
  });

  it('accepts a tenant role without such privileges', async () => {
    await expect(assertIsolated(await ownTenantRole(''))).resolves.toBeUndefined();
  });

  it('rejects synchronous_commit off, which can lose acknowledged work', async () => {
    const { rows } = await owner.query<{ name: string }>('select current_database() as name');
    await owner.query(`alter database ${rows[0]!.name} set synchronous_commit = off`);
    await expect(assertIsolated(access)).rejects.toThrow('synchronous_commit');
  });
});

/** Creates a role with the given attribute for the length of the test, and returns access with it. */
async function ownTenantRole(attribute: string): Promise<DatabaseAccess> {
  const user = `test_role_${process.pid}_${Date.now()}`;
  await owner.query(`create role ${user} login password 'test' ${attribute}`);
  await owner.query(`grant usage on schema public to ${user}`);
  undo.splice(0, 0, async () => {
    await owner.query(`drop owned by ${user}`);
    await owner.query(`drop role ${user}`);
  });
  return { ...access, tenant: { user, password: 'test' } };
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { createTestDatabase } from '../support/database.js';

/** Unique keys that span organizations on purpose, and why. */
const GLOBAL_KEYS: Record<string, string> = {
  organizations_pkey: 'an organization is its own tenant',
  api_keys_hash_key: 'a caller is recognized by it before its organization is known',
  workflows_id_key: 'a webhook names only the workflow, which tells the organization',
};
/** Foreign keys to what belongs to no organization, and why. */
const GLOBAL_REFERENCES: Record<string, string> = {
  memberships_user_id_fkey: 'people may be members of several organizations',
};
/** Tables whose rows are no effect of a call, so that dry runs do not tell of them, and why. */
const BOOKKEEPING: Record<string, string> = {
  audit_log: 'tells of calls, dry runs of which never were',
  event_interests: 'follows from the definitions of workflows',
  idempotency_keys: 'keeps answers; a dry run leaves none',
  parked_runs: 'lists what the database has parked, which no call does',
  pending_events: 'tells workers of what happened, and soon goes',
  run_waits: 'says what the steps of runs wait for, which their log tells',
  webhook_deliveries: 'tells of requests; only their end with a workflow comes of a call',
};

let client: Client;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await drop();
});

const TABLES = `
  select c.oid, c.relname as name,
    case c.relname when 'organizations' then 'id' else 'organization_id' end as tenant_column
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'migrations'`;

describe('every table of an organization', () => {
  it('has organization_id first in its primary key, and never null', async () => {
    const { rows } = await client.query<{ name: string; first: string | null }>(`
      select t.name, a.attname as first from (${TABLES}) t
      left join pg_index i on i.indrelid = t.oid and i.indisprimary
      left join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
      where a.attname is distinct from t.tenant_column or not a.attnotnull`);
    expect(rows).toEqual([]);
    const tables = await client.query(TABLES);
    expect(tables.rows.length).toBeGreaterThan(4);
  });

  it('has organization_id in every unique key, so that no key tells of another organization', async () => {
    const { rows } = await client.query<{ index: string }>(`
      select i.indexrelid::regclass::text as index from (${TABLES}) t
      join pg_index i on i.indrelid = t.oid and i.indisunique
      join pg_attribute a on a.attrelid = t.oid and a.attname = 'organization_id'
      where not a.attnum = any(i.indkey)
      union all select 'organizations_pkey'`);
    const names = rows.map(({ index }) => index);
    expect(names.filter((name) => !Object.hasOwn(GLOBAL_KEYS, name))).toEqual([]);
  });

  it('refers to other tables by organization_id and id together', async () => {
    const { rows } = await client.query<{ name: string }>(`
      select c.conname as name from (${TABLES}) t
      join pg_constraint c on c.conrelid = t.oid and c.contype = 'f'
      where not exists (
        select from unnest(c.conkey, c.confkey) as pair(mine, theirs)
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = pair.mine
        join pg_attribute b on b.attrelid = c.confrelid and b.attnum = pair.theirs
        where a.attname = 'organization_id'
          and b.attname = case when c.confrelid = 'organizations'::regclass then 'id' else 'organization_id' end
      )`);
    const names = rows.map(({ name }) => name);
    expect(names.filter((name) => !Object.hasOwn(GLOBAL_REFERENCES, name))).toEqual([]);
  });

  it('never sets organization_id to null when what it refers to is deleted', async () => {
    const { rows } = await client.query(`
      select c.conname from (${TABLES}) t join pg_constraint c on c.conrelid = t.oid and c.contype = 'f'
      join pg_attribute a on a.attrelid = t.oid and a.attname = 'organization_id'
      where c.confdeltype in ('n', 'd')
        and (c.confdelsetcols is null or a.attnum = any(c.confdelsetcols))`);
    expect(rows).toEqual([]);
  });

  it('forces row-level security with exactly the policies of isolation', async () => {
    const { rows } = await client.query<{ name: string; forced: boolean; policies: object[] }>(`
      select t.name, c.relrowsecurity and c.relforcerowsecurity as forced, (
        select json_agg(json_build_object('name', p.polname, 'permissive', p.polpermissive, 'command', p.polcmd,
            'roles', p.polroles::oid[]::text, 'using', pg_get_expr(p.polqual, p.polrelid),
            'check', pg_get_expr(p.polwithcheck, p.polrelid)) order by p.polname)
        from pg_policy p where p.polrelid = t.oid) as policies
      from (${TABLES}) t join pg_class c on c.oid = t.oid`);
    const owner = await client.query<{ oid: string }>(
      `select '{' || oid || '}' as oid from pg_roles where rolname = current_user`,
    );
    for (const { name, forced, policies } of rows) {
      const column = name === 'organizations' ? 'id' : 'organization_id';
      const rule = `(${column} = ( SELECT current_organization() AS current_organization))`;
      const all = { permissive: true, command: '*' };
      expect({ name, forced, policies }).toEqual({
        name,
        forced: true,
        policies: [
          { ...all, name: 'owner', roles: owner.rows[0]!.oid, using: 'true', check: 'true' },
          { ...all, name: 'tenant', roles: '{0}', using: rule, check: rule },
        ],
      });
    }
  });

  it('leaves the service no view, and no table without isolation', async () => {
    const { rows } = await client.query(`
      select c.oid::regclass::text as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('public', 'gate', 'private')
      join pg_roles r on r.rolname like 'switchboard\\_tenant\\_%'
      where (c.relkind in ('v', 'm', 'f') and n.nspname = 'public')
        or (c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity)
          and has_table_privilege(r.oid, c.oid, 'select, insert, update, delete, truncate'))`);
    expect(rows).toEqual([]);
  });

  it('is reached across organizations by functions of the gate only, each with a fixed search path', async () => {
    const { rows } = await client.query(`
      select p.oid::regprocedure::text as name from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace and n.nspname in ('public', 'gate', 'private')
      where p.prosecdef and (n.nspname <> 'gate' and p.oid <> all (array[
          'public.current_organization()'::regprocedure,
          -- Looks at the organization of the context alone, which hostile statements try to get around.
          'public.contacts_containing(text, text, integer)'::regprocedure])
        or not coalesce('search_path=pg_catalog, pg_temp' = any(p.proconfig), false))`);
    expect(rows).toEqual([]);
  });

  it('takes batches by sub-selects that are carried out once, or a plan could make them larger than asked for', async () => {
    const { rows } = await client.query<{ name: string; source: string }>(`
      select p.oid::regprocedure::text as name, p.prosrc as source from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace
      where n.nspname in ('gate', 'private') and p.prosrc ~ 'skip locked'`);
    const faults = rows.flatMap(({ name, source }) =>
      [...source.matchAll(/\blimit [^()]*? skip locked\s*\)/g)].flatMap(({ index }) => {
        const openings = source.slice(0, index).matchAll(/(\w+) ?\(\s*select\b/g);
        const [, opening] = [...openings].at(-1)!;
        return ['materialized', 'array'].includes(opening!) ? [] : `${name}: ${opening} (select`;
      }),
    );
    expect(rows.length).toBeGreaterThan(10);
    expect(faults).toEqual([]);
  });

  it('tells dry runs of its effects, unless it only keeps books', async () => {
    const { rows } = await client.query<{ name: string; telling: boolean }>(`
      select t.name, exists (
        select from pg_trigger g where g.tgrelid = t.oid and g.tgname = 'dry_run_effects' and g.tgenabled = 'O'
          and g.tgfoid = 'private.note_effect()'::regprocedure
          -- For each row, after, of insert, delete and update.
          and g.tgtype = 1 + 4 + 8 + 16
      ) as telling from (${TABLES}) t`);
    const silent = rows.filter(({ telling }) => !telling).map(({ name }) => name);
    expect(silent.sort()).toEqual(Object.keys(BOOKKEEPING));
  });

  it('has triggers that cannot be led astray, for foreign keys run them as the owner', async () => {
    const { rows } = await client.query<{ name: string; safe: boolean }>(`
      select distinct p.oid::regprocedure::text as name, not p.prosecdef
        and coalesce('search_path=pg_catalog, pg_temp' = any(p.proconfig), false) as safe
      from pg_trigger g join pg_proc p on p.oid = g.tgfoid where not g.tgisinternal
      order by name`);
    expect(rows).toEqual([
      { name: 'private.end_child_run()', safe: true },
      { name: 'private.hold_run()', safe: true },
      { name: 'private.note_effect()', safe: true },
      { name: 'private.note_parked_run()', safe: true },
      { name: 'private.tell_of_run()', safe: true },
    ]);
  });
});

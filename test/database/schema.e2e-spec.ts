import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { createTestDatabase } from '../support/database.js';

/** Lists the unique keys that span organizations on purpose, each with the reason. */
const GLOBAL_KEYS: Record<string, string> = {
  organizations_pkey: 'the row is the organization',
  api_keys_hash_key: 'it identifies a caller before the organization is known',
  ...Object.fromEntries(
    ['imports', 'messages', 'pending_events', 'workflow_runs', 'workflows'].map((table) => [
      `${table}_id_key`,
      'workers and webhooks look up the row by its random id, without the organization',
    ]),
  ),
};
/** Lists the foreign keys to rows that belong to no organization, each with the reason. */
const GLOBAL_REFERENCES: Record<string, string> = {
  memberships_user_id_fkey: 'a person can be a member of several organizations',
};
/** Lists the tables that dry runs leave out of the reported changes, each with the reason. */
const BOOKKEEPING: Record<string, string> = {
  audit_log: 'it records calls, and a dry run is not one',
  call_log: 'it records calls, and a dry run is not one',
  consent_changes: 'the database writes them with the change of the contact, which is reported',
  event_interests: 'it is derived from the definitions of workflows',
  file_chunks: 'the file that they belong to is reported',
  idempotency_keys: 'it stores results, and a dry run stores none',
  import_chunks: 'the import that they belong to is reported',
  import_faults: 'workers write them, and no call does',
  import_keys: 'workers write them, and no call does',
  message_events: 'the database writes them; the change of their message is reported',
  message_files: 'the database writes them; their message is reported',
  parked_runs: 'the database parks runs by itself; no call does',
  pending_events: 'a queue for workers, soon empty again',
  run_waits: 'the run journal already shows what steps wait for',
  segment_changes: 'a queue for workers, soon empty again',
  segment_evaluations: 'the leases of workers',
  webhook_deliveries: 'a log of requests; a call removes rows only with their workflow',
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
  it('has a primary key that begins with organization_id, which is never null', async () => {
    const { rows } = await client.query<{ name: string; first: string | null }>(`
      select t.name, a.attname as first from (${TABLES}) t
      left join pg_index i on i.indrelid = t.oid and i.indisprimary
      left join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
      where a.attname is distinct from t.tenant_column or not a.attnotnull`);
    expect(rows).toEqual([]);
    const tables = await client.query(TABLES);
    expect(tables.rows.length).toBeGreaterThan(4);
  });

  it('has organization_id in every unique key, so a conflict never reveals a row of another organization', async () => {
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

  it('keeps its organization_id when a row that it refers to is deleted', async () => {
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

  it('is isolated if the tenant role can use it, and the schema public has no view', async () => {
    const { rows } = await client.query(`
      select c.oid::regclass::text as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('public', 'gate', 'private')
      join pg_roles r on r.rolname like 'switchboard\\_tenant\\_%'
      where (c.relkind in ('v', 'm', 'f') and n.nspname = 'public')
        or (c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity)
          and has_table_privilege(r.oid, c.oid, 'select, insert, update, delete, truncate'))`);
    expect(rows).toEqual([]);
  });

  it('can be read across organizations only by functions of the gate, each with a fixed search path', async () => {
    const { rows } = await client.query(`
      select p.oid::regprocedure::text as name from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace and n.nspname in ('public', 'gate', 'private')
      where p.prosecdef and (n.nspname <> 'gate' and p.oid <> all (array[
          'public.current_organization()'::regprocedure,
          'public.open_context(text, text)'::regprocedure,
          'public.lock_organization()'::regprocedure,
          -- These functions check a signature of the service. tenant-writes.e2e-spec.ts and sender-domains.e2e-spec.ts call
          -- them without a signature.
          'public.record_audit(text, text)'::regprocedure,
          'public.set_audit_retention(text, text)'::regprocedure,
          'public.record_contact_merge(text, text)'::regprocedure,
          'public.delete_contact_messages(text, text)'::regprocedure,
          'public.add_sender_domain(text, text)'::regprocedure,
          -- These functions compare the organization themselves. isolation.e2e-spec.ts attacks them.
          'public.find_contact_ids(text, text, integer)'::regprocedure,
          'public.find_contacts_by_keys(text[], jsonb, text[], boolean, integer)'::regprocedure,
          -- This function reads only the quota of the current organization, and returns true or false.
          'public.lacks_message_quota()'::regprocedure,
          -- This trigger function cannot be called. It counts the rows that its statement wrote.
          'private.count_insert()'::regprocedure,
          -- This trigger function cannot be called. It counts rows of organizations whose rows its statement wrote.
          'private.limit_rows()'::regprocedure,
          -- This trigger function reads only the quota and the decisions of the current organization.
          'private.limit_subscription()'::regprocedure,
          -- This trigger copies the state of the row that its statement wrote, so that SQL of a tool needs no right to
          -- write events.
          'private.record_message_event()'::regprocedure,
          -- This trigger records the files of the message that its statement wrote. So SQL of a tool needs no right to
          -- write these records, which prevent the deletion of files.
          'private.link_message_files()'::regprocedure,
          -- These triggers copy decisions of the row that their statement wrote, so that SQL of a tool needs no right
          -- to write the log of consent.
          'private.log_consent()'::regprocedure, 'private.log_new_consents()'::regprocedure,
          'private.log_subscription()'::regprocedure,
          -- These triggers move rows between two contacts. Both contacts are of the organization of the row that the
          -- statement wrote.
          'private.move_permission()'::regprocedure, 'private.return_permission()'::regprocedure,
          -- This trigger reads the secret part of the name of the channel, and sends the id of the row that its
          -- statement wrote.
          'private.notify_run_change()'::regprocedure,
          'private.count_workflow_end()'::regprocedure, 'private.mark_segment_changes()'::regprocedure,
          'private.plan_measure()'::regprocedure, 'private.refuse_insert()'::regprocedure])
        or not coalesce('search_path=pg_catalog, pg_temp' = any(p.proconfig), false))`);
    expect(rows).toEqual([]);
  });

  it('has its rows claimed only in sub-selects that run once, so that no plan can exceed the batch size', async () => {
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

  it('reports its changes to dry runs, unless it is only bookkeeping', async () => {
    const { rows } = await client.query<{ name: string; reports: boolean }>(`
      select t.name, exists (
        select from pg_trigger g where g.tgrelid = t.oid and g.tgname = 'dry_run_effects' and g.tgenabled = 'O'
          and g.tgfoid = 'private.record_effect()'::regprocedure
          -- The flags mean: for each row, after insert, delete and update.
          and g.tgtype = 1 + 4 + 8 + 16
      ) as reports from (${TABLES}) t`);
    const silent = rows.filter(({ reports }) => !reports).map(({ name }) => name);
    expect(silent.sort()).toEqual(Object.keys(BOOKKEEPING));
  });

  it('has triggers with a fixed search path, and only the listed functions are security definer', async () => {
    const { rows } = await client.query<{ name: string; safe: boolean }>(`
      select distinct p.oid::regprocedure::text as name, (not p.prosecdef or p.proname ~ '^(count_|limit_rows|limit_subscription|link_message_files|log_|mark_segment_changes|move_permission|notify_run_change|plan_measure|record_message_event|refuse_insert|return_permission)')
        and coalesce('search_path=pg_catalog, pg_temp' = any(p.proconfig), false) as safe
      from pg_trigger g join pg_proc p on p.oid = g.tgfoid where not g.tgisinternal
      order by name`);
    expect(rows).toEqual([
      { name: 'private.bound_values()', safe: true },
      { name: 'private.cancel_children()', safe: true },
      { name: 'private.claim_alias()', safe: true },
      { name: 'private.claim_contact_addresses()', safe: true },
      // Runs as the owner, because nobody else may use the counters of quotas. No cascade of a foreign key inserts rows.
      { name: 'private.count_insert()', safe: true },
      { name: 'private.count_workflow_end()', safe: true },
      { name: 'private.end_child_run()', safe: true },
      { name: 'private.keep_deleted_workflow()', safe: true },
      { name: 'private.keep_message()', safe: true },
      // The next two functions run as the owner. No cascade of a foreign key writes rows of their tables.
      { name: 'private.limit_rows()', safe: true },
      { name: 'private.limit_subscription()', safe: true },
      // Runs as the owner. No cascade of a foreign key inserts messages, so no cascade calls this function.
      { name: 'private.link_message_files()', safe: true },
      // log_consent() and log_new_consents() run as the owner. No cascade of a foreign key inserts or updates contacts,
      // so no cascade calls these functions.
      { name: 'private.log_consent()', safe: true },
      { name: 'private.log_new_consents()', safe: true },
      { name: 'private.log_subscription()', safe: true },
      { name: 'private.mark_segment_changes()', safe: true },
      { name: 'private.move_permission()', safe: true },
      { name: 'private.note_lost_contact()', safe: true },
      { name: 'private.notify_run_change()', safe: true },
      { name: 'private.plan_measure()', safe: true },
      { name: 'private.protect_audit_rule()', safe: true },
      { name: 'private.record_effect()', safe: true },
      // Runs as the owner. No cascade of a foreign key changes the status of a message, so no cascade calls this
      // function.
      { name: 'private.record_message_event()', safe: true },
      { name: 'private.record_parked_run()', safe: true },
      { name: 'private.refuse_insert()', safe: true },
      { name: 'private.requeue_limited_run()', safe: true },
      { name: 'private.return_permission()', safe: true },
      { name: 'private.use_rate_place()', safe: true },
    ]);
  });
});

import type { Client } from 'pg';
import { AppError } from '../../errors/app-error.js';

/** A table with rows of this installation, and the SQL statements for it, in which PostgreSQL has quoted the names. */
export interface StoredTable {
  /** The schema and the name, for example `public.contacts`. */
  name: string;
  columns: string[];
  /** The other tables to which the foreign keys of this table refer. */
  references: string[];
  /** False when row-level security could hide rows from the current user. */
  isComplete: boolean;
  lock: string;
  lockExclusively: string;
  probe: string;
  clear: string;
  copyOut: string;
  copyIn: string;
  analyze: string;
  /** The SQL that lets the owner copy rows in, without triggers and row-level security. */
  open: string[];
  /** The SQL that undoes `open`. */
  close: string[];
}

/** The tables that record which migrations ran. The header of an archive has their content. */
const MIGRATION_TABLES = ['public.migrations', 'public.extension_migrations'];

/** Returns all tables of this installation, in an order in which each table follows the tables that it references. */
export async function findStoredTables(client: Client): Promise<StoredTable[]> {
  const { rows } = await client.query<StoredTable>(
    `with stored as (
       select c.oid, n.nspname || '.' || c.relname as name, format('%I.%I', n.nspname, c.relname) as quoted,
         c.relforcerowsecurity as is_forced,
         array(select a.attname::text from pg_attribute a
           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
           order by a.attnum) as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('public', 'gate', 'private') and c.relkind in ('r', 'p') and not c.relispartition
         and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
           and d.refclassid = 'pg_extension'::regclass and d.deptype = 'e')
     ), listed as (
       select s.*, (select string_agg(quote_ident(column_name), ', ' order by place)
         from unnest(s.columns) with ordinality as u (column_name, place)) as column_list
       from stored s where s.name <> all ($1)
     ), applying as (
       select p.polrelid, p.polpermissive, pg_get_expr(p.polqual, p.polrelid) as condition
       from pg_policy p
       where p.polcmd in ('*', 'r')
         and exists (select from unnest(p.polroles) as role where role = 0 or pg_has_role(role, 'usage'))
     )
     select l.name, l.columns,
       array(select distinct o.name from pg_constraint f join stored o on o.oid = f.confrelid
         where f.contype = 'f' and f.conrelid = l.oid and f.confrelid <> l.oid) as references,
       not row_security_active(l.oid)
         or (exists (select from applying a where a.polrelid = l.oid and a.polpermissive and a.condition = 'true')
           and not exists (select from applying a where a.polrelid = l.oid and not a.polpermissive)) as "isComplete",
       format('lock table %s in access share mode', l.quoted) as lock,
       format('lock table %s in access exclusive mode', l.quoted) as "lockExclusively",
       format('select from %s limit 1', l.quoted) as probe,
       format('delete from %s', l.quoted) as clear,
       format('copy (select %s from %s) to stdout', l.column_list, l.quoted) as "copyOut",
       format('copy %s (%s) from stdin', l.quoted, l.column_list) as "copyIn",
       format('analyze %s', l.quoted) as analyze,
       array(select format('alter table %s disable trigger %I', l.quoted, t.tgname) from pg_trigger t
           where t.tgrelid = l.oid and not t.tgisinternal and t.tgenabled <> 'D' order by t.tgname)
         || case when l.is_forced then array[format('alter table %s no force row level security', l.quoted)]
           else '{}' end as open,
       array(select format('alter table %s enable %s trigger %I', l.quoted,
             case t.tgenabled when 'A' then 'always' when 'R' then 'replica' else '' end, t.tgname)
           from pg_trigger t
           where t.tgrelid = l.oid and not t.tgisinternal and t.tgenabled <> 'D' order by t.tgname)
         || case when l.is_forced then array[format('alter table %s force row level security', l.quoted)]
           else '{}' end as close
     from listed l order by l.name`,
    [MIGRATION_TABLES],
  );
  return inOrderOfReferences(rows);
}

/** Throws when row-level security could hide rows from the current user: a backup without them would look complete. */
export function assertComplete(tables: readonly StoredTable[]): void {
  const hidden = tables.filter(({ isComplete }) => !isComplete).map(({ name }) => name);
  if (hidden.length === 0) return;
  throw new AppError(
    'forbidden',
    `Row-level security can hide rows from this user in ${hidden.join(', ')}. Use the owner of the database, for whom ` +
      'private.isolate() created a policy, and drop policies that restrict it.',
  );
}

/**
 * Returns the tables in an order in which each follows the tables that it references. Throws when some tables reference
 * each other.
 */
export function inOrderOfReferences<Table extends Pick<StoredTable, 'name' | 'references'>>(
  tables: readonly Table[],
): Table[] {
  const names = new Set(tables.map(({ name }) => name));
  const ordered: Table[] = [];
  const placed = new Set<string>();
  let rest = [...tables];
  while (rest.length > 0) {
    const isReady = ({ references }: Table): boolean =>
      references.every((name) => placed.has(name) || !names.has(name));
    const ready = rest.filter(isReady);
    if (ready.length === 0) {
      throw new AppError(
        'conflict',
        `Foreign keys of these tables form a circle, so no order to restore them exists: ` +
          rest.map(({ name }) => name).join(', '),
      );
    }
    ordered.push(...ready);
    for (const { name } of ready) placed.add(name);
    rest = rest.filter(({ name }) => !placed.has(name));
  }
  return ordered;
}

/**
 * Returns the names of the migrations that ran, oldest first: the migrations of Switchboard, and the migrations of
 * modules.
 */
export async function findMigrations(
  client: Client,
): Promise<{ migrations: string[]; moduleMigrations: string[] }> {
  const { rows } = await client.query<{ own: boolean; modules: boolean }>(
    `select to_regclass('public.migrations') is not null as own,
       to_regclass('public.extension_migrations') is not null as modules`,
  );
  const { own, modules } = rows[0]!;
  return {
    migrations: own ? await namesOf(client, 'select name from public.migrations order by id') : [],
    moduleMigrations: modules
      ? await namesOf(client, 'select name from public.extension_migrations order by id')
      : [],
  };
}

async function namesOf(client: Client, statement: string): Promise<string[]> {
  return (await client.query<{ name: string }>(statement)).rows.map(({ name }) => name);
}

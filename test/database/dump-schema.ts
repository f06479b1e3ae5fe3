import type { Client } from 'pg';

const SCHEMAS = ['public', 'gate', 'private'];

const TABLES = `
  select c.oid::regclass::text as name,
    (select json_agg(format('%I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attcollation <> t.typcollation then ' collate ' || quote_ident(l.collname) end,
        case when a.attnotnull then ' not null' end,
        case when a.attidentity = 'a' then ' generated always as identity'
          when d.oid is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) end) order by a.attnum)
      from pg_attribute a
      join pg_type t on t.oid = a.atttypid
      left join pg_collation l on l.oid = a.attcollation
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select json_agg(format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid))
        order by position(k.contype in 'pucf'), k.conname)
      from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'c', 'f')) as constraints,
    (select json_agg(pg_get_indexdef(i.indexrelid) order by i.indexrelid)
      from pg_index i
      where i.indrelid = c.oid
        and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u')))
      as indexes,
    (select json_agg(format('create policy %I on %s %s using (%s) with check (%s)', p.polname, c.oid::regclass,
        case when p.polroles = '{0}' then 'to public' else 'to owner' end,
        pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) order by p.polname)
      from pg_policy p where p.polrelid = c.oid) as policies,
    (select json_agg(pg_get_triggerdef(g.oid) order by g.tgname)
      from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal) as triggers,
    c.relrowsecurity as secured, c.relforcerowsecurity as forced
  from pg_class c
  where c.relnamespace = any ($1::regnamespace[]) and c.relkind in ('r', 'p') and c.relname <> 'migrations'
  order by c.relnamespace::regnamespace::text collate "C", c.relname`;

const FUNCTIONS = `
  select format('function %s(%s)%s', p.oid::regproc,
      pg_get_function_arguments(p.oid), ' returns ' || pg_get_function_result(p.oid)) as signature,
    concat_ws(' ', 'language ' || l.lanname,
      case p.provolatile when 'i' then 'immutable' when 's' then 'stable' end,
      case when p.proisstrict then 'strict' end,
      case when p.prosecdef then 'security definer' end,
      case p.proparallel when 's' then 'parallel safe' when 'r' then 'parallel restricted' end,
      case when p.procost <> 100 then 'cost ' || p.procost end,
      (select string_agg('set ' || setting, ' ') from unnest(p.proconfig) setting)) as options
  from pg_proc p join pg_language l on l.oid = p.prolang
  where p.pronamespace = any ($1::regnamespace[])
  order by p.oid::regprocedure::text collate "C"`;

interface TableRow {
  name: string;
  columns: string[];
  constraints: string[] | null;
  indexes: string[] | null;
  policies: string[] | null;
  triggers: string[] | null;
  secured: boolean;
  forced: boolean;
}

interface FunctionRow {
  signature: string;
  options: string;
}

/**
 * Returns the schema of a migrated database as text that reads like SQL. It is the same on every server version and in
 * every installation. Bodies of functions are left out: they are in `migrations/functions`. For grants see dumpGrants.
 */
export async function dumpSchema(client: Client): Promise<string> {
  await client.query('begin');
  try {
    // With this search path, PostgreSQL writes every name with its schema.
    await client.query('set local search_path = pg_catalog');
    const tables = await client.query<TableRow>(TABLES, [SCHEMAS]);
    const functions = await client.query<FunctionRow>(FUNCTIONS, [SCHEMAS]);
    return [
      ...tables.rows.map(describeTable),
      functions.rows.map(({ signature, options }) => `${signature}\n  ${options};\n`).join(''),
    ].join('\n');
  } finally {
    await client.query('rollback');
  }
}

function describeTable(table: TableRow): string {
  const { name, columns, constraints, indexes, policies, triggers, secured, forced } = table;
  const lines = [...columns, ...(constraints ?? [])].map((line) => `  ${line}`);
  return [
    `create table ${name} (\n${lines.join(',\n')}\n)`,
    ...(indexes ?? []),
    ...(secured ? [`alter table ${name} enable row level security`] : []),
    ...(forced ? [`alter table ${name} force row level security`] : []),
    ...(policies ?? []),
    ...(triggers ?? []),
  ]
    .map((statement) => `${statement};\n`)
    .join('');
}

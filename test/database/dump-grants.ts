import type { Client } from 'pg';

// A function without an ACL has the default of its kind: everybody may execute it.
const GRANTS = `
  with objects (kind, name, acl, owner) as (
    select 'database', '', coalesce(d.datacl, acldefault('d', d.datdba)), d.datdba
    from pg_database d where d.datname = current_database()
    union all
    select 'schema', n.nspname, coalesce(n.nspacl, acldefault('n', n.nspowner)), n.nspowner
    from pg_namespace n where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    union all
    select case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass::text, c.relacl, c.relowner
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    union all
    select 'function', p.oid::regprocedure::text, coalesce(p.proacl, acldefault('f', p.proowner)), p.proowner
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    union all
    select 'default privileges', coalesce(n.nspname || ' ', '') || d.defaclobjtype::text, d.defaclacl, d.defaclrole
    from pg_default_acl d left join pg_namespace n on n.oid = d.defaclnamespace
  ), granted as (
    select o.kind, o.name, a.grantee, a.is_grantable, lower(a.privilege_type) as privilege, null as columns
    from objects o, aclexplode(o.acl) a where a.grantee <> o.owner
    union all
    select 'table', c.oid::regclass::text, a.grantee, a.is_grantable, lower(a.privilege_type),
      string_agg(t.attname, ', ' order by t.attname collate "C")
    from pg_class c join pg_attribute t on t.attrelid = c.oid, aclexplode(t.attacl) a
    where a.grantee <> c.relowner and c.relnamespace <> 'pg_catalog'::regnamespace
    group by c.oid, a.grantee, a.is_grantable, a.privilege_type
  )
  select coalesce(nullif(grantee::regrole::text, '-'), 'public') as grantee, kind, name, string_agg(
    privilege || case when is_grantable then ' with grant option' else '' end || coalesce(' (' || columns || ')', ''),
    ', ' order by columns is not null, privilege) as privileges
  from granted group by 1, 2, 3
  order by 1, array_position('{database,schema,sequence,table,function}', kind), name collate "C"`;

interface GrantRow {
  grantee: string;
  kind: string;
  name: string;
  privileges: string;
}

/**
 * Returns the rights of every role except the owner in a database: one section for each role, one line for each object.
 * The result is the same in every installation. The section `public` applies to all roles.
 */
export async function dumpGrants(client: Client): Promise<string> {
  await client.query('begin');
  try {
    // With this search path, PostgreSQL writes every name with its schema.
    await client.query('set local search_path = pg_catalog');
    const { rows } = await client.query<GrantRow>(GRANTS);
    const lines = rows.flatMap((row, index) => {
      const isNew = row.grantee !== rows[index - 1]?.grantee;
      return isNew ? ['', nameOf(row.grantee), describeGrant(row)] : [describeGrant(row)];
    });
    return `${lines.slice(1).join('\n')}\n`;
  } finally {
    await client.query('rollback');
  }
}

/** Returns the name of a role without its last part: the random suffix of the installation, which both roles have. */
function nameOf(role: string): string {
  return role.replace(/_[0-9a-f]{12}$/, '');
}

function describeGrant({ kind, name, privileges }: GrantRow): string {
  return `  ${[kind, name].filter(Boolean).join(' ')}: ${privileges}`;
}

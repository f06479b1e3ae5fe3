import { Client } from 'pg';
import { AppError, type Fault } from '../../errors/app-error.js';
import type { DatabaseAccess } from './database-access.js';
import { sqlState } from '../database-error.js';
import { describeConnection } from './describe-connection.js';
import { assertSessionMode } from './pooler-mode.js';

/**
 * The extensions whose views may be read by everybody. Hosted PostgreSQL often has `pg_stat_statements` in `public`: it
 * shows texts of statements without values (docs/security.md).
 */
const HARMLESS_EXTENSIONS = new Set(['pg_stat_statements']);

/** Checks that the database isolates organizations for the roles of the service. Throws an error with all faults. */
export async function assertIsolated(access: DatabaseAccess): Promise<void> {
  const faults: Fault[] = [];
  for (const kind of ['tenant', 'gate'] as const) {
    const client = await connect(access, kind);
    try {
      faults.push(...(await roleFaults(client, kind)));
      faults.push(...(await tableFaults(client, kind)));
      faults.push(...(await functionFaults(client, kind)));
      if (kind === 'tenant') {
        faults.push(...(await protectedFaults(client)));
        faults.push(...(await contextFaults(client)));
      }
    } finally {
      await client.end();
    }
    // A pooler can have another pool mode for this user than for the owner.
    if (access.hasPooler) await assertSessionMode({ ...access, ...access[kind] });
  }
  if (faults.length === 0) return;
  const list = faults.map((fault) => `  ${fault.path}: ${fault.message}`).join('\n');
  throw new AppError('forbidden', `The database does not isolate organizations:\n${list}`);
}

async function connect(access: DatabaseAccess, kind: 'tenant' | 'gate'): Promise<Client> {
  const client = new Client({ ...access, ...access[kind], connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    const problem = `DATABASE_URL: for the role ${client.user} of Switchboard, ${describeConnection(error, client)}.`;
    const cure =
      ' The pooler needs auth_query to find the passwords of such roles (docs/configuration.md).';
    const message = access.hasPooler ? problem + cure : problem;
    throw new AppError('unavailable', message, { cause: error });
  }
}

async function roleFaults(client: Client, kind: string): Promise<Fault[]> {
  const { rows } = await client.query<{ powers: string[]; durable: boolean }>(`
    select array_remove(array[
        case when rolsuper then 'is a superuser' end,
        case when rolbypassrls then 'bypasses row-level security' end,
        case when rolcreaterole then 'may create roles' end,
        case when rolcreatedb then 'may create databases' end,
        case when rolreplication then 'may replicate the database' end,
        case when has_database_privilege(current_database(), 'create') then 'may create schemas' end,
        case when has_database_privilege(current_database(), 'temporary') then 'may create temporary tables' end,
        case when exists (select from pg_namespace where has_schema_privilege(oid, 'create'))
          then 'may create objects in a schema' end,
        case when exists (select from pg_auth_members where member = r.oid) then 'is a member of another role' end,
        case when exists (
          select from pg_shdepend where refclassid = 'pg_authid'::regclass and refobjid = r.oid and deptype = 'o'
            and dbid in (0, (select oid from pg_database where datname = current_database()))
            and classid <> 'pg_largeobject'::regclass
        ) then 'owns objects' end
      ], null) as powers,
      current_setting('synchronous_commit') <> 'off' as durable
    from pg_roles r where rolname = current_user`);
  const row = rows[0]!;
  const faults = row.powers.map((message) => ({ path: `${kind} role`, message }));
  if (!row.durable) {
    faults.push({
      path: 'synchronous_commit',
      message: 'is off, so acknowledged work could be lost. Set it to on',
    });
  }
  return faults;
}

async function tableFaults(client: Client, kind: string): Promise<Fault[]> {
  const { rows } = await client.query<{
    name: string;
    isolated: boolean;
    extension: string | null;
    writable: boolean;
  }>(`
    select n.nspname || '.' || c.relname as name,
      (select e.extname from pg_depend d join pg_extension e on e.oid = d.refobjid
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_extension'::regclass
          and d.deptype = 'e') as extension,
      has_table_privilege(c.oid, 'delete, truncate, trigger')
        or has_any_column_privilege(c.oid, 'insert, update, references') as writable,
      c.relrowsecurity and c.relforcerowsecurity and (
        select count(*) = 1 and bool_and(p.polroles = '{0}' and p.polcmd = '*'
          and pg_get_expr(p.polqual, p.polrelid) = r.expression
          and pg_get_expr(p.polwithcheck, p.polrelid) = r.expression)
        from pg_policy p,
          (select format('(%I = ( SELECT current_organization() AS current_organization))',
            case c.oid when to_regclass('public.organizations') then 'id' else 'organization_id' end) as expression) r
        where p.polrelid = c.oid and p.polpermissive
          and exists (select from unnest(p.polroles) as role where role = 0 or pg_has_role(role, 'member'))
      ) as isolated
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname not in ('pg_catalog', 'information_schema') and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and (has_table_privilege(c.oid, 'delete, truncate, trigger')
        or has_any_column_privilege(c.oid, 'select, insert, update, references'))`);
  return rows
    .filter(({ extension, writable }) => writable || !HARMLESS_EXTENSIONS.has(extension ?? ''))
    .filter(({ name, isolated }) => (kind === 'gate' ? name !== 'gate.sessions' : !isolated))
    .map(({ name, extension }) => ({ path: name, message: openTo(kind, name, extension) }));
}

function openTo(kind: string, name: string, extension: string | null): string {
  if (extension !== null) {
    return (
      `is open to the ${kind} role, because the extension ${extension} grants it to everybody. ` +
      `As an administrator run: revoke all on ${name} from public`
    );
  }
  return kind === 'gate'
    ? 'is open to the gate role, which may only call functions. Revoke what was granted to it or to public'
    : `is open to the tenant role. The migration that creates it must run: select private.isolate('${name}')`;
}

/**
 * Lists the privileges with which SQL of a tool could take over an organization, or hide changes from the audit log.
 */
async function protectedFaults(client: Client): Promise<Fault[]> {
  const { rows } = await client.query<{ name: string; privilege: string }>(`
    select t.name, p.privilege
    from (values
        ('organizations', 'insert, update, delete, truncate'), ('memberships', 'insert, update, delete, truncate'),
        ('api_keys', 'insert, update, delete, truncate'), ('audit_log', 'update, delete, truncate')
      ) as t (name, privileges)
    cross join lateral unnest(string_to_array(t.privileges, ', ')) as p (privilege)
    where to_regclass('public.' || t.name) is not null
      and (has_table_privilege('public.' || t.name, p.privilege)
        or (p.privilege in ('insert', 'update') and has_any_column_privilege('public.' || t.name, p.privilege)))`);
  return rows.map(({ name, privilege }) => ({
    path: `public.${name}`,
    message: `is open to the tenant role for ${privilege}. Revoke it from that role or from public`,
  }));
}

/**
 * Lists functions that run as their owner and have no fixed search path. A caller could make such a function use other
 * objects.
 */
async function functionFaults(client: Client, kind: string): Promise<Fault[]> {
  const { rows } = await client.query<{ name: string }>(`
    select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where p.prosecdef and n.nspname <> 'pg_catalog'
      and has_schema_privilege(n.oid, 'usage') and has_function_privilege(p.oid, 'execute')
      and not exists (select from unnest(p.proconfig) as setting where setting like 'search\\_path=%')`);
  return rows.map(({ name }) => ({
    path: name,
    message: `runs as its owner for the ${kind} role without a fixed search_path: alter function ${name} set search_path = pg_catalog, pg_temp`,
  }));
}

async function contextFaults(client: Client): Promise<Fault[]> {
  const none = await client.query<{ organization: string | null }>(
    'select current_organization() as organization',
  );
  const faults: Fault[] = [];
  if (none.rows[0]!.organization !== null) {
    faults.push({
      path: 'current_organization()',
      message: 'returns an organization although no context is set',
    });
  }
  await client.query(`select set_config('switchboard.context', $1, false)`, [
    `org_forged.${'0'.repeat(64)}`,
  ]);
  const refused = await client.query('select current_organization()').then(
    () => false,
    (error: unknown) => sqlState(error) === '42501',
  );
  if (!refused)
    faults.push({ path: 'current_organization()', message: 'accepts a forged context' });
  return faults;
}

/**
 * Holds the knowledge of an attacker who can run any SQL as the tenant role in a transaction of the organization
 * `mine`.
 */
export interface HostileContext {
  mine: string;
  theirs: string;
  theirContact: string;
  theirKeyHash: string;
  /** The valid context of `mine` for this backend. */
  context: string;
  /** A valid context of `theirs`, made for another backend. */
  theirContextElsewhere: string;
  /** The signature of `theirs` for another backend, as `open_context` takes it. */
  theirSignatureElsewhere: string;
  tenantRole: string;
  gateRole: string;
  ownerRole: string;
}

/** Lists statements that run in one transaction. The rows of the last statement must contain no data of `theirs`. */
export type HostileStatement = [what: string, make: (context: HostileContext) => string[]];

const forge = (context: string) => `select set_config('switchboard.context', '${context}', true)`;
const ALL = 'select organization_id, id, email from contacts';
const NO_MAC = '0'.repeat(64);

export const HOSTILE_STATEMENTS: HostileStatement[] = [
  // These statements read without the filter, or try to bypass it.
  ['no filter', () => [ALL]],
  ['or 1=1', () => [`${ALL} where email = 'x' or 1=1`]],
  [
    'the other organization by name',
    ({ theirs }) => [`${ALL} where organization_id = '${theirs}'`],
  ],
  ['the other contact by id', ({ theirContact }) => [`${ALL} where id = '${theirContact}'`]],
  ['a union', () => [`select 'x', 'x', 'x' union all ${ALL}`]],
  ['a sub-select', () => [`select (select string_agg(organization_id, ',') from contacts)`]],
  ['a lateral join', () => [`select c.* from organizations o, lateral (select * from contacts) c`]],
  ['an aggregate', () => [`select json_agg(c) from contacts c`]],
  ['whole rows as text', () => [`select c::text from contacts c`]],
  ['a cursor', () => [`declare everything cursor for ${ALL}`, 'fetch all from everything']],
  [
    'a prepared statement',
    () => [`prepare everything as ${ALL}`, 'execute everything', 'deallocate everything'],
  ],
  ['table export', () => [`select table_to_xml('contacts', true, false, '')::text`]],
  ['schema export', () => [`select schema_to_xml('public', true, false, '')::text`]],
  ['an explain', () => [`explain (analyze, format text) ${ALL}`]],
  [
    'a function that leaks what it compares',
    () => [
      `create function pg_temp.leak(text) returns boolean language plpgsql cost 0.0000001 as
      $$ begin raise warning 'leaked %', $1; return true; end $$`,
      `${ALL} where pg_temp.leak(organization_id)`,
    ],
  ],
  [
    'an error that quotes what it reads',
    () => [`select email::int from contacts order by organization_id desc`],
  ],
  ['a table sample', () => [`select organization_id from contacts tablesample system (100)`]],
  ['a locking read', () => [`${ALL} for update`]],
  ['statistics of the planner', () => [`select * from pg_stats where tablename = 'contacts'`]],
  ['the raw statistics', () => [`select * from pg_statistic`]],
  [
    'keys of the other organization',
    ({ theirKeyHash }) => [
      `select organization_id from api_keys where hash = '\\x${theirKeyHash}'`,
    ],
  ],
  ['organizations', () => [`select id, name from organizations`]],
  ['memberships', () => [`select * from memberships`]],
  ['the audit log', () => [`select organization_id, actor_id from audit_log`]],
  ['a copy to the client', () => ['copy contacts to stdout']],
  ['a copy to a program', () => [`copy contacts to program 'cat'`]],

  // These contexts were not signed for this organization and this backend.
  ['a context without a signature', ({ theirs }) => [forge(theirs), ALL]],
  ['a context with an empty signature', ({ theirs }) => [forge(`${theirs}.`), ALL]],
  ['a forged signature', ({ theirs }) => [forge(`${theirs}.${NO_MAC}`), ALL]],
  [
    'a spliced signature',
    ({ theirs, context }) => [forge(`${theirs}.${context.split('.')[1]}`), ALL],
  ],
  ['two contexts in one', ({ theirs, context }) => [forge(`${theirs}.${context}`), ALL]],
  [
    'its own context with text appended',
    ({ theirs, context }) => [forge(`${context}.${theirs}`), ALL],
  ],
  [
    'the context of another backend',
    ({ theirContextElsewhere }) => [forge(theirContextElsewhere), ALL],
  ],
  [
    'open_context with the signature of another backend',
    ({ theirs, theirSignatureElsewhere }) => [
      `select open_context('${theirs}', '${theirSignatureElsewhere}')`,
      ALL,
    ],
  ],
  [
    'open_context with its own context as the signature',
    ({ theirs, context }) => [`select open_context('${theirs}', '${context.split('.')[1]}')`, ALL],
  ],
  [
    'open_context without a signature',
    ({ theirs }) => [`select open_context('${theirs}', null)`, ALL],
  ],
  [
    'the function that signs',
    ({ theirs }) => [`select private.sign('${theirs}.' || pg_backend_pid())`],
  ],
  ['set local', ({ theirs }) => [`set local switchboard.context = '${theirs}.${NO_MAC}'`, ALL]],
  ['an empty context', () => [forge(''), ALL]],
  ['a reset context', () => ['reset switchboard.context', ALL]],
  ['reset all', () => ['reset all', ALL]],
  ['discard all', () => ['discard all']],
  [
    'a function of the same name before ours',
    ({ theirs }) => [
      `create function pg_temp.current_organization() returns text language sql as $$ select '${theirs}' $$`,
      `set local search_path = pg_temp, public`,
      `select organization_id from public.contacts`,
    ],
  ],
  [
    'functions that shadow those of the check',
    ({ theirs }) => [
      `create function pg_temp.encode(bytea, text) returns text language sql as $$ select '${NO_MAC}' $$`,
      `set local search_path = pg_temp, public`,
      forge(`${theirs}.${NO_MAC}`),
      `select organization_id from public.contacts`,
    ],
  ],
  [
    'replacing the function',
    ({ theirs }) => [
      `create or replace function public.current_organization() returns text language sql as $$ select '${theirs}' $$`,
    ],
  ],

  // These statements change roles and settings.
  ['set role to the owner', ({ ownerRole }) => [`set role "${ownerRole}"`, ALL]],
  [
    'set role to the gate',
    ({ gateRole }) => [`set role "${gateRole}"`, 'select * from gate.users'],
  ],
  [
    'set session authorization',
    ({ ownerRole }) => [`set session authorization "${ownerRole}"`, ALL],
  ],
  ['reset role', () => ['reset role', ALL]],
  ['a grant to itself', ({ ownerRole, tenantRole }) => [`grant "${ownerRole}" to "${tenantRole}"`]],
  ['bypassing by role attribute', ({ tenantRole }) => [`alter role "${tenantRole}" bypassrls`]],
  ['row_security off', () => ['set local row_security = off', ALL]],
  ['disabling row-level security', () => ['alter table contacts disable row level security', ALL]],
  [
    'not forcing row-level security',
    () => ['alter table contacts no force row level security', ALL],
  ],
  ['dropping the policy', () => ['drop policy tenant on contacts', ALL]],
  ['a policy of its own', () => ['create policy mine on contacts using (true)', ALL]],
  [
    'a trigger',
    () => [
      'create trigger t before update on contacts for each row execute function suppress_redundant_updates_trigger()',
    ],
  ],
  ['a table in public', () => ['create table public.loot (t text)']],
  ['session_replication_role', () => [`set session_replication_role = 'replica'`]],
  ['truncate', () => ['truncate contacts']],
  [
    'an anonymous block',
    () => [`do $$ begin perform set_config('row_security', 'off', true); end $$`, ALL],
  ],

  // These statements read secrets and call the gate.
  ['the keys of the installation', () => ['select * from private.installation']],
  ['private functions', () => [`select private.isolate('public.contacts')`]],
  ['making roles', () => ['select private.ensure_roles()']],
  ['people', () => ['select * from gate.users']],
  ['sessions', () => ['select * from gate.sessions']],
  ['the account of a person', () => [`select * from gate.find_account('a@example.com', null)`]],
  [
    'the owner of a key',
    ({ theirKeyHash }) => [`select * from gate.find_api_key('\\x${theirKeyHash}')`],
  ],
  [
    'an account of its own',
    () => [`select gate.create_account('u', 'e@example.com', 'x', 'org_x', 'X')`],
  ],
  ['passwords of roles', () => ['select rolname, rolpassword from pg_authid']],
  ['files of the server', () => [`select pg_read_file('/etc/passwd')`]],
  ['large objects from files', () => [`select lo_import('/etc/passwd')`]],
  ['another connection', () => [`select * from dblink('dbname=postgres', 'select 1') as t(x int)`]],

  // These statements write.
  [
    'an insert into the other organization',
    ({ theirs }) => [
      `insert into contacts (organization_id, id, email, search_text) values ('${theirs}', 'con_x', 'x@example.com', '') returning *`,
    ],
  ],
  [
    'an upsert over the other contact',
    ({ theirs, theirContact }) => [
      `insert into contacts (organization_id, id, email, search_text) values ('${theirs}', '${theirContact}', 'x@example.com', '')
     on conflict (organization_id, id) do update set email = 'stolen@example.com' returning *`,
    ],
  ],
  [
    'a merge into the other organization',
    ({ theirs }) => [
      `merge into contacts c using (select '${theirs}' as o) s on c.organization_id = s.o when matched then delete`,
      ALL,
    ],
  ],
  [
    'an update without a filter',
    () => [`update contacts set first_name = 'owned' returning organization_id`],
  ],
  [
    'an update of the other contact',
    ({ theirContact }) => [
      `update contacts set first_name = 'owned' where id = '${theirContact}' returning organization_id`,
    ],
  ],
  [
    'moving its own row into the other organization',
    ({ theirs }) => [`update contacts set organization_id = '${theirs}' returning *`],
  ],
  [
    'a forged audit entry',
    ({ theirs }) => [
      `insert into audit_log (organization_id, actor_kind, actor_id, action) values ('${theirs}', 'user', 'x', 'x')`,
    ],
  ],
  ['a changed audit entry', () => [`update audit_log set action = 'nothing'`]],
  ['a deleted audit entry', () => ['delete from audit_log']],
  // These statements come last, because they delete rows of the organization itself.
  ['a delete without a filter', () => ['delete from contacts returning organization_id']],
  ['deleting organizations', () => ['delete from organizations returning id']],
];

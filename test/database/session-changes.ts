/** SQL that changes the session in which it runs, or looks for what another transaction left there. */
const setting = (name: string, value: string): [string, string[]] => [
  `the setting ${name}`,
  [`select set_config('${name}', '${value}', false)`],
];

const SETTINGS: [string, string][] = [
  ['search_path', 'pg_catalog'],
  ['search_path', 'information_schema, public'],
  ['default_transaction_read_only', 'on'],
  ['default_transaction_isolation', 'serializable'],
  ['default_transaction_deferrable', 'on'],
  ['transform_null_equals', 'on'],
  ['standard_conforming_strings', 'off'],
  ['backslash_quote', 'on'],
  ['statement_timeout', '1'],
  ['lock_timeout', '1'],
  ['idle_in_transaction_session_timeout', '1'],
  ['idle_session_timeout', '1'],
  ['DateStyle', 'German'],
  ['IntervalStyle', 'sql_standard'],
  ['TimeZone', 'Pacific/Kiritimati'],
  ['bytea_output', 'escape'],
  ['client_encoding', 'LATIN1'],
  ['extra_float_digits', '-15'],
  ['xmloption', 'document'],
  ['row_security', 'off'],
  ['check_function_bodies', 'off'],
  ['enable_indexscan', 'off'],
  ['enable_seqscan', 'off'],
  ['plan_cache_mode', 'force_custom_plan'],
  ['work_mem', '64kB'],
  ['temp_buffers', '800kB'],
  ['synchronous_commit', 'off'],
  ['client_min_messages', 'debug5'],
  ['application_name', 'somebody else'],
  ['default_text_search_config', 'german'],
  ['lc_numeric', 'C'],
  ['gin_fuzzy_search_limit', '1'],
  ['jit', 'on'],
  ['array_nulls', 'off'],
  ['switchboard.context', 'org_x.forged'],
  ['switchboard.dry_run', 'on'],
  ['switchboard.dry_run', 'full'],
  ['switchboard.effects', 'x'],
  ['mine.secret', 'x'],
];

/** Replaces each prepared statement of the service that the session has. */
const REPLACE_ALL = `do $$ declare s record; begin
  for s in select name from pg_prepared_statements loop
    execute format('deallocate %I', s.name);
    execute format('prepare %I as select 1', s.name);
  end loop; end $$`;

export const SESSION_CHANGES: [what: string, statements: string[]][] = [
  ...SETTINGS.map(([name, value]) => setting(name, value)),
  ...SETTINGS.slice(0, 12).map(([name, value]): [string, string[]] => [
    `SET of ${name} to ${value}`,
    [`set ${name} to '${value}'`],
  ]),
  [
    'an update of pg_settings',
    [`update pg_settings set setting = 'pg_catalog' where name = 'search_path'`],
  ],
  [
    'an update of pg_settings with a quoted name',
    [`update "pg_settings" set setting = 'on' where name = 'default_transaction_read_only'`],
  ],
  ['a setting behind a comment', [`/* /* a */ b */ set search_path to pg_catalog`]],
  [
    'a setting in a function in FROM',
    [`select * from set_config('search_path', 'pg_catalog', false)`],
  ],
  ['a setting with a quoted function', [`select "set_config"('search_path', 'pg_catalog', false)`]],
  [
    'a setting with a qualified function',
    [`select pg_catalog . set_config ('search_path', 'x', false)`],
  ],
  ['a setting behind a quote', [`select 'it''s', set_config('search_path', 'x', false)`]],
  [
    'a setting behind an escaped quote',
    [
      `select E'\\'', set_config('search_path', 'x', false), '`,
      `select E'\\'', set_config('search_path', 'x', false)`,
    ],
  ],
  ['a setting behind a dollar quote', [`select $a$'$a$, set_config('search_path', 'x', false)`]],
  ['a setting behind a Unicode text', [`select U&'\\0027', set_config('search_path', 'x', false)`]],
  ['a setting by a Unicode name', [`select U&"set\\005fconfig"('search_path', 'x', false)`]],
  [
    'a setting in a common table expression',
    [`with x as (select set_config('search_path', 'x', false)) select * from x`],
  ],
  [
    'a setting in RETURNING',
    [
      `insert into contacts (organization_id, id, search_text) values (current_organization(), 'con_x', '') on conflict do nothing returning set_config('search_path', 'x', false)`,
    ],
  ],
  ['a setting in ORDER BY', [`select 1 order by set_config('search_path', 'x', false)`]],
  [
    'a setting in an anonymous block',
    [`do $$ begin perform set_config('search_path', 'x', false); end $$`],
  ],
  [
    'a setting in query_to_xml',
    [
      `select query_to_xml('select set_config(''search_path'', ''x'', false)', true, false, '')::text`,
    ],
  ],
  [
    'a setting in ts_stat',
    [`select * from ts_stat('select set_config(''search_path'', ''x'', false)::tsvector')`],
  ],
  ['deallocate all', ['deallocate all']],
  ['replaced prepared statements', [REPLACE_ALL]],
  [
    'a replaced statement of the context',
    [
      'deallocate switchboard_context',
      `prepare switchboard_context (text, text, text) as select 0::bigint`,
    ],
  ],
  [
    'a replaced commit',
    ['deallocate switchboard_commit', `prepare switchboard_commit as select 1`],
  ],
  ['a prepared statement', [`prepare mine as select 1`]],
  ['a temporary table that shadows a real one', [`create temporary table contacts (id text)`]],
  ['a temporary table from a query', [`select 1 as a into temporary contacts`]],
  [
    'a temporary table with CREATE TABLE AS',
    [`create temporary table audit_log as select 1 as id`],
  ],
  ['a temporary view', [`create temporary view contacts as select 1 as id`]],
  ['a temporary sequence', [`create temporary sequence s`]],
  [
    'a temporary function',
    [
      `create function pg_temp.current_organization() returns text language sql as $$ select 'x' $$`,
    ],
  ],
  ['a table in public', [`create table public.audit_log2 (a text)`]],
  ['a cursor that is held', [`declare c cursor with hold for select * from contacts`]],
  ['a cursor', [`declare c cursor for select * from contacts`]],
  ['an advisory lock', [`select pg_advisory_lock(7)`]],
  ['a shared advisory lock', [`select pg_advisory_lock_shared(7, 8)`]],
  ['an advisory lock that is tried', [`select pg_try_advisory_lock(9)`]],
  ['many advisory locks', [`select pg_advisory_lock(n) from generate_series(1, 100) n`]],
  ['LISTEN', ['listen switchboard']],
  ['a notification', [`select pg_notify('switchboard', '{}')`]],
  ['UNLISTEN', ['unlisten *']],
  ['discard all', ['discard all']],
  ['discard plans', ['discard plans']],
  ['set role none', ['set role none']],
  ['reset all', ['reset all']],
  ['set session characteristics', ['set session characteristics as transaction read only']],
  ['set transaction', ['set transaction read only']],
  ['set constraints', ['set constraints all deferred']],
  [
    'the names of the prepared statements of others',
    [`select name, statement from pg_prepared_statements`],
  ],
  [
    'a context that was kept from an earlier transaction',
    [`select set_config('mine.context', current_setting('switchboard.context'), false)`],
  ],
  [
    'a context of an earlier transaction',
    [
      `select set_config('switchboard.context', current_setting('mine.context'), true)`,
      'select * from contacts',
    ],
  ],
  ['commit', ['commit']],
  ['commit and chain', ['commit and chain']],
  ['commit behind a comment', ['-- a\n/* b */ commit']],
  ['commit behind an empty statement', [';commit', 'select 1']],
  ['commit behind a comment that ends with a carriage return', ['-- a\rcommit', 'select 1']],
  ['rollback', ['rollback']],
  ['abort', ['abort']],
  ['end', ['end']],
  ['begin', ['begin']],
  ['start transaction', ['start transaction read only']],
  ['prepare transaction', [`prepare transaction 'x'`]],
  ['a commit in an anonymous block', ['do $$ begin commit; end $$']],
  ['a rollback in an anonymous block', ['do $$ begin rollback; end $$']],
  ['a savepoint of the service', ['rollback to savepoint switchboard_savepoint_1']],
  ['a released savepoint', ['savepoint a', 'release savepoint a']],
  ['lock table', ['lock table contacts in access exclusive mode']],
  ['load', [`load 'auto_explain'`]],
  ['copy from stdin', ['copy contacts from stdin']],
  ['copy to stdout', ['copy contacts to stdout']],
  ['an error', ['select 1 / 0']],
  ['a deadly statement', [`select pg_terminate_backend(pg_backend_pid())`]],
  ['a canceled statement', [`select pg_cancel_backend(pg_backend_pid()), pg_sleep(1)`]],
];

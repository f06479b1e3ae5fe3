import { describe, expect, it } from 'vitest';
import { sessionSafety } from './session-safety.js';

describe('the safety of a statement for its session', () => {
  it.each([
    'select 1',
    `select "contact"."id" from "contacts" "contact" where lower("email") = $1 and tags && cast($2 as text[])`,
    `insert into "contacts" ("id", "email") values ($1, DEFAULT) on conflict (id) do update set email = excluded.email`,
    'update runs r set status = $1 from (values (1)) as v (id) where r.id in (select id from x) returning count(*)',
    'with changed as (delete from x returning id) select count(*) filter (where id > 1) from changed',
    `select 'it''s; set_config(', 'a' || "odd ""name"`,
    `select set_config('switchboard.consent_source', $1, true), 'x'`,
  ])('is "safe" for %s', (text) => {
    expect(sessionSafety(text)).toBe('safe');
  });

  it.each([
    '',
    `select set_config('a.b', 'x', false)`,
    `select "set_config"('a.b', 'x', false)`,
    `select set_config('switchboard.consent_source', $1, false)`,
    `select set_config('switchboard.consent_source', $1, true), set_config('a.b', $2, false)`,
    `select set_config('search_path', $1, true)`,
    `set_config('switchboard.consent_source', $1, true)`,
    `select "count"(1)`,
    `select pg_catalog.set_config ('a.b', 'x', false)`,
    `select SET_CONFIG\t('a.b', 'x', false)`,
    `update pg_settings set setting = 'x'`,
    `update "pg_settings" set setting = 'x'`,
    'select pg_advisory_lock(1)',
    'select pg_advisory_xact_lock(1, 2)',
    'select pg_advisory_xact_lock_shared(hashtextextended($1, 0))',
    'select 1 into temporary contacts',
    'select 1 insert into temporary contacts',
    'select (1) insert into temporary contacts',
    'with a as (select 1) select (1) insert into temporary contacts',
    'with a as (select 1) (select (1) insert into temporary contacts)',
    `set search_path = 'x'`,
    'reset all',
    'discard all',
    'deallocate all',
    'prepare x as select 1',
    'SAVEPOINT typeorm_1',
    'ROLLBACK TO SAVEPOINT typeorm_1',
    'release savepoint switchboard_savepoint_1',
    `select set_config('switchboard_locks.keys', $1, true)`,
    'listen x',
    'declare c cursor with hold for select 1',
    'select 1; select 2',
    'select 1 -- comment',
    'select /* comment */ 1',
    `select E'\\'', f('`,
    `select '\\'`,
    `select U&"set\\005fconfig"('x')`,
    `select $a$'$a$, 1`,
    `select 'never closed`,
    'select "never closed',
    'select prüfe(1)',
    'select é(1)',
    'select set_config\u00a0(1)',
    'select operator (pg_catalog.+)',
    '(select 1)',
    `select ${'1,'.repeat(60_000)} 1`,
  ])('is "unsafe" for %s', (text) => {
    expect(sessionSafety(text)).toBe('unsafe');
  });

  it.each([
    `alter role current_user password 'x'`,
    'alter user current_user set search_path = x',
    'do $$ begin end $$',
    `DO 'begin end'`,
    '/* a */ call x()',
    ';create temporary table contacts (id text)',
    'drop table contacts',
    'explain select 1 from contacts',
    'lock table contacts in access exclusive mode',
    'EXPLAIN (format json) select 1',
    'grant x to y',
    'revoke x from y',
    'truncate contacts',
    `comment on table contacts is 'x'`,
    `security label on table contacts is 'x'`,
    `load 'x'`,
    'vacuum',
    'reassign owned by x to y',
    '"select" 1',
    '\ufeffalter role x',
    '\vdo $$ begin end $$',
  ])('is "forbidden" for %s', (text) => {
    expect(sessionSafety(text)).toBe('forbidden');
  });

  it.each([
    'commit',
    ' COMMIT AND CHAIN',
    'rollback',
    'rollback prepared x',
    'abort',
    'end',
    'begin',
    'start transaction',
    `prepare transaction 'x'`,
    `prepare/**/transaction 'x'`,
    `prepare -- a\n transaction 'x'`,
    '-- a\ncommit',
    '/* a /* b */ c */ rollback',
    '/**/commit',
    ';commit',
    ' ; /* a */ ; rollback',
    '-- a\rcommit',
  ])('is "ends transaction" for %s', (text) => {
    expect(sessionSafety(text)).toBe('ends transaction');
  });
});

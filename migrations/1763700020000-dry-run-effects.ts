import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets a dry run tell which rows it would have changed: every isolated table gets a trigger that notes them, and
 * `private.isolate()` adds it to later tables. Each table is locked for a moment; code that knows nothing of dry
 * runs goes on beside it, for nothing is noted unless the transaction says that it is one.
 */
export class DryRunEffects1763700020000 implements MigrationInterface {
  readonly name = 'DryRunEffects1763700020000';

  async up(runner: QueryRunner): Promise<void> {
    // A setting of the transaction holds what is noted, as lines of JSON: it goes when the transaction or the
    // savepoint is rolled back, it needs no table that the role of the service could write to, and nobody but this
    // session can read it. It is only ever appended to and never parsed here, so that a statement never fails
    // because of what SQL of a tool has put there. Names of columns, never their values: those may be secret.
    // Columns are compared as text, because json has no equality; a whole row as jsonb would be shorter, but jsonb
    // refuses the valid JSON \\u0000.
    await runner.query(`
      create function private.note_effect() returns trigger language plpgsql
      set search_path = pg_catalog, pg_temp as $$
      declare
        noted text;
        action constant text := case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'update' else 'delete' end;
        id text;
        changed text[];
      begin
        if current_setting('switchboard.dry_run') = 'full' then
          return null;
        end if;
        noted := coalesce(current_setting('switchboard.effects', true), '');
        -- Appending copies what is there, so there is an end to it: from now on no row fires this.
        if octet_length(noted) > 131072 then
          perform set_config('switchboard.dry_run', 'full', true);
          return null;
        end if;
        if tg_op = 'UPDATE' then
          execute (
            select 'select array_remove(array[' || string_agg(
              format('case when ($1).%1$I::text is distinct from ($2).%1$I::text then %1$L end', a.attname),
              ', ' order by a.attnum) || ']::text[], null)'
            from pg_attribute a where a.attrelid = tg_relid and a.attnum > 0 and not a.attisdropped
          ) into changed using old, new;
          if changed = '{}' then
            return null;
          end if;
        end if;
        execute (
          select 'select concat_ws(''/'', ' || string_agg(format('($1).%I', a.attname), ', ' order by k.place) || ')'
          from pg_index i, unnest(i.indkey) with ordinality as k (attnum, place), pg_attribute a
          where i.indrelid = tg_relid and i.indisprimary and a.attrelid = tg_relid and a.attnum = k.attnum
            and a.attname <> 'organization_id'
        ) into id using case when tg_op = 'INSERT' then new else old end;
        perform set_config('switchboard.effects', noted || json_strip_nulls(json_build_object(
          'action', action, 'table', tg_table_name, 'id', id, 'changed', changed))::text || E'\\n', true);
        return null;
      end $$`);
    await runner.query(`
      create function private.note_effects(target regclass) returns void
      language plpgsql as $$
      begin
        execute format('create trigger dry_run_effects after insert or update or delete on %s for each row
          when (current_setting(''switchboard.dry_run'', true) = ''on'') execute function private.note_effect()', target);
      end $$`);
    await runner.query(`drop function private.isolate(regclass, name)`);
    // bookkeeping: what its rows say is no effect of a call, so dry runs do not tell of them.
    await runner.query(`
      create function private.isolate(
        target regclass, key_column name default 'organization_id', bookkeeping boolean default false
      ) returns void
      language plpgsql as $$
      begin
        ${ISOLATE}
        if not bookkeeping then
          perform private.note_effects(target);
        end if;
      end $$`);
    await runner.query(`
      select private.note_effects(c.oid) from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relforcerowsecurity
        and c.relname not in ('audit_log', 'idempotency_keys')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      do $$
      declare
        target regclass;
      begin
        for target in select tgrelid from pg_trigger where tgname = 'dry_run_effects' and tgparentid = 0 loop
          execute format('drop trigger dry_run_effects on %s', target);
        end loop;
      end $$`);
    await runner.query(`drop function private.isolate(regclass, name, boolean)`);
    await runner.query(`
      create function private.isolate(target regclass, key_column name default 'organization_id') returns void
      language plpgsql as $$
      begin
        ${ISOLATE}
      end $$`);
    await runner.query(`drop function private.note_effects(regclass)`);
    await runner.query(`drop function private.note_effect()`);
  }
}

/** What the foundation defined. */
const ISOLATE = `execute format('alter table %s enable row level security', target);
        execute format('alter table %s force row level security', target);
        -- The sub-select makes the planner check the signature once a query instead of once a row.
        execute format('create policy tenant on %s using (%I = (select public.current_organization()))
          with check (%I = (select public.current_organization()))', target, key_column, key_column);
        -- FORCE binds the owner too, and the gate functions run as the owner.
        execute format('create policy owner on %s to %I using (true) with check (true)', target, current_user);`;

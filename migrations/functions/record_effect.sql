-- Trigger function: records a changed row while a dry run is active. private.report_effects_of() attaches it.
--
-- Arguments: none (row trigger on insert, update and delete).
-- Result: null. It appends one line of JSON to the setting switchboard.effects: action, table, id and the names
--   of changed columns. Values are left out, because they may be secret. The id is the primary key without the
--   organization. For a table with one row per organization, it is the organization.
-- Locks: none.
--
-- A setting of the transaction is the right place for the record. It disappears with the transaction or the
-- savepoint, needs no table that tools could write to, and no other session can read it. The function only
-- appends to the record and never parses it, so text that a tool puts there cannot make a statement fail. Columns are
-- compared as text, because json has no equality and jsonb refuses the valid JSON \u0000.
create or replace function private.record_effect() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  recorded text;
  action constant text := case tg_op when 'INSERT' then 'create' when 'UPDATE' then 'update' else 'delete' end;
  id text;
  changed text[];
begin
  if current_setting('switchboard.dry_run') = 'full' then
    return null;
  end if;
  recorded := coalesce(current_setting('switchboard.effects', true), '');
  -- Each append copies the whole text. So recording stops at 128 KiB: when `switchboard.dry_run` has the value `full`,
  -- the trigger records nothing.
  if octet_length(recorded) > 131072 then
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
      and (a.attname <> 'organization_id' or i.indnkeyatts = 1)
  ) into id using case when tg_op = 'INSERT' then new else old end;
  perform set_config('switchboard.effects', recorded || json_strip_nulls(json_build_object(
    'action', action, 'table', tg_table_name, 'id', id, 'changed', changed))::text || E'\n', true);
  return null;
end
$$;

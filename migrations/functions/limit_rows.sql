-- Trigger function: refuses an INSERT after which an organization would have too many rows in the table.
--
-- Arguments: the largest number of rows of an organization (statement trigger after insert).
-- Result: null. Too many rows are a check_violation, so nothing is inserted.
-- Locks: the rows of the organizations. Without these locks, parallel transactions could together store too many rows.
--
-- The function runs as the owner. So it also counts rows that SQL of a tool inserts.
create or replace function private.limit_rows() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  most constant integer := tg_argv[0]::integer;
  writer text;
  stored bigint;
begin
  for writer in select distinct i.organization_id from inserted i loop
    perform from public.organizations o where o.id = writer for no key update;
    execute format('select count(*) from (select from public.%I where organization_id = $1 limit $2 + 1) own', tg_table_name)
      into stored using writer, most;
    if stored > most then
      raise exception 'An organization has at most % rows in %.', most, tg_table_name using errcode = 'check_violation';
    end if;
  end loop;
  return null;
end
$$;

-- Trigger function: keeps deleted workflows deleted. A restored workflow would not count for the quota of workflows.
--
-- Arguments: none (row trigger before update of workflows, whose condition selects restored workflows).
-- Result: the row for the owner. Error 42501 for others.
-- Locks: none.
create or replace function private.keep_deleted_workflow() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if current_user <> (select pg_get_userbyid(c.relowner) from pg_class c where c.oid = tg_relid) then
    raise exception 'A deleted workflow cannot be restored.' using errcode = '42501';
  end if;
  return new;
end
$$;

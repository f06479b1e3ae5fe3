-- Trigger after each INSERT statement: refuses new rows of an organization that has used up a measured quota.
--
-- Arguments: those of the trigger: the names of the quotas.
-- Result: nothing. A quota that is used up is error SB002, so nothing is inserted.
-- Locks: none.
--
-- A statement that inserts no row is not refused: a row with the same idempotency key exists already, and the caller
-- gets the stored result.
create or replace function private.refuse_insert() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  writer text;
begin
  if exists (select from private.quota_refusals) then
    for writer in select distinct i.organization_id from inserted i loop
      perform private.refuse_over(writer, tg_argv);
    end loop;
  end if;
  return null;
end
$$;

-- Trigger function: refuses changes that workers never make to a message. SQL of a tool can neither rewrite the
-- text of a message that was sent, nor send an ended message again.
--
-- Arguments: none (row triggers before update of messages; the conditions of the triggers select the refused changes).
-- Result: the row if the owner makes the change. Error 42501 for any other role.
-- Locks: none.
create or replace function private.keep_message() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if current_user <> (select pg_get_userbyid(c.relowner) from pg_class c where c.oid = tg_relid) then
    raise exception 'A message has one text, except while it collects a digest. A message that has ended is not sent again.'
      using errcode = '42501';
  end if;
  return new;
end
$$;

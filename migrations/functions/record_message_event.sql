-- Trigger function: adds the present state of a message to its events.
--
-- Arguments: none (row trigger on insert and update).
-- Result: null.
-- Locks: only the new row.
--
-- The function runs as the owner, so SQL of a tool can neither forge nor suppress an event.
create or replace function private.record_message_event() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.message_events (organization_id, message_id, status, reason, attempts)
  values (new.organization_id, new.id, new.status, new.status_reason, new.attempts);
  return null;
end
$$;

-- Trigger function: notifies all processes that a run changed. It is for changes that the database makes by
-- itself; all others are published by the process that makes them, because pg_notify makes commits wait for
-- each other.
--
-- Arguments: none (row trigger after an update of the status).
-- Result: null. Channel and text are those of src/changes/change-feed.ts.
-- Locks: the commit takes the server's lock on notifications.
create or replace function private.notify_run_change() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_notify('switchboard_changes',
    new.organization_id || ' resource switchboard://runs/' || new.id);
  return null;
end
$$;

-- Trigger function: notifies all processes that a run changed. It is for changes that the database makes by itself.
-- Every other change is published by the process that makes it, because pg_notify makes commits wait for each other.
--
-- Arguments: none (row trigger after an update of the status).
-- Result: null. The payload has the form that src/changes/change-feed.ts reads. The name of the channel is the one that
--   src/database/notifications/channel-name.ts computes.
-- Locks: the commit takes the server's lock on notifications.
--
-- SQL of a tool can store a run with an id of any length. The id is cut, because PostgreSQL throws an
-- error for a payload of 8,000 bytes. This error would make the claims of all organizations fail.
--
-- The function runs as the owner, because only the owner can read the key from which the name of the channel is made.
create or replace function private.notify_run_change() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_notify(
    'switchboard_changes_' || left(encode(sha256(i.outer_key || sha256(i.inner_key
      || convert_to('notification channel:switchboard_changes', 'UTF8'))), 'hex'), 32),
    new.organization_id || ' resource switchboard://runs/' || left(new.id, 100))
  from private.installation i;
  return null;
end
$$;

-- Trigger function: makes a run pass the limits of its workflow again when the run returns to the queue.
--
-- Arguments: none (row trigger before an update of the status to queued).
-- Result: the row, delayed by a limit. A run that waited needs only a slot. A run that is retried must pass the rate
--   limit again too.
-- Locks: none.
create or replace function private.requeue_limited_run() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  new.delayed_by := case when old.status <> 'waiting' then 'rate' when new.slot_key is null then 'slot' else 'key' end;
  new.delayed_until := null;
  new.reason := case when old.status <> 'waiting' then 'rate' else 'concurrency' end;
  return new;
end
$$;

-- Puts a batch of runs whose wait or lease has ended into the queue. The sweep of a worker calls it until nothing is
-- left.
--
-- Arguments:
--   batch_size  the largest number of runs of each kind
-- Result: one row with woken, the number of runs and due limits that were found.
-- Locks: as private.requeue_due_runs.
create or replace function gate.wake_runs(batch_size integer)
returns table (woken integer)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
select w.woken from private.requeue_due_runs(batch_size) w
$$;

-- Puts a batch of runs whose wait or lease has ended into the queue. The sweep of a worker calls it until nothing is
-- left.
--
-- Arguments:
--   batch_size  the largest number of runs of each kind
-- Result: one row with woken, the number of runs, waits and due limits that were found.
-- Locks: as private.requeue_due_runs, and the waits of the changed runs. Waits that other transactions have locked are
--   skipped, as their runs are. So the function looks at twenty times as many waits of each organization as it changes.
--
-- The delivery of an event does not wake a run that another transaction has locked, for example a merge of its contact.
-- So this function wakes the runs whose waits were delivered, and marks these waits. Most runs have already used the
-- event by then. The plan looks up each run by its key, and reads waits only from the index run_waits_delivered_idx: new
-- tables have no statistics.
create or replace function gate.wake_runs(batch_size integer)
returns table (woken integer)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
#variable_conflict use_column
declare
  swept integer;
begin
  with recursive waiting (organization_id) as (
    (select w.organization_id from public.run_waits w where w.state = 'delivered' and not w.is_swept
      order by w.organization_id limit 1)
    union all
    select (
      select w.organization_id from public.run_waits w
      where w.state = 'delivered' and not w.is_swept and w.organization_id > waiting.organization_id
      order by w.organization_id limit 1
    ) from waiting where waiting.organization_id is not null
  ), unswept as materialized (
    select own.* from waiting cross join lateral (
      select w.organization_id, w.run_id, w.step_id from public.run_waits w
      where w.organization_id = waiting.organization_id and w.state = 'delivered' and not w.is_swept
      limit batch_size * 20
    ) own
  ), delivered as materialized (
    select u.* from unswept u cross join lateral (
      select from public.workflow_runs r
      join public.run_waits w on w.organization_id = r.organization_id and w.run_id = r.id
      where r.organization_id = u.organization_id and r.id = u.run_id and w.step_id = u.step_id and w.state = 'delivered'
      for no key update of r, w skip locked
    ) locked limit batch_size
  ), marked as (
    update public.run_waits w set is_swept = true from delivered d
    where w.organization_id = d.organization_id and w.run_id = d.run_id and w.step_id = d.step_id
    returning 1
  ), resumed as (
    update public.workflow_runs r set available_at = now()
    from (select distinct organization_id, run_id from delivered) d
    where r.organization_id = d.organization_id and r.id = d.run_id and r.status = 'waiting' and r.available_at > now()
  )
  select count(*) into swept from marked;
  return query select swept + w.woken from private.requeue_due_runs(batch_size) w;
end
$$;

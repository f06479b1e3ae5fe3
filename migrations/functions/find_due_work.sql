-- Names the kinds of work that may have due rows. Workers call this function every second. Calling the claim function
-- of each kind would take much longer.
--
-- Arguments: none.
-- Result: names of DueKind in src/queue/due-work.ts. A kind is never missing while a row of it is due. A kind may be
--   named although no row of this kind is due: other processes have claimed the rows, or the rows are due later.
-- Locks: none.
create or replace function gate.find_due_work() returns text[]
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return array_remove(array[
    case when exists (select from public.workflow_runs r where r.status = 'queued' and r.delayed_by is null)
      or exists (select from public.workflow_runs r where r.status = 'running' and r.available_at <= now())
      or exists (select from public.workflow_runs r where r.status = 'waiting' and r.available_at <= now())
      or exists (select from public.run_waits w where w.state = 'delivered' and not w.is_swept)
      or exists (
        select from public.workflow_runs r
        where r.status = 'queued' and r.delayed_until is not null and r.delayed_until <= now())
      then 'run' end,
    case when exists (
      select from public.messages c where c.status in ('scheduled', 'queued', 'held', 'sending'))
      then 'message' end,
    case when exists (select from public.workflow_schedules s where s.available_at <= now()) then 'schedule' end,
    case when exists (select from public.pending_events e where e.available_at <= now()) then 'event' end,
    case when exists (select from public.imports i where i.status = 'running') then 'import' end,
    case when exists (select from public.segment_changes)
      or exists (select from public.segments s where s.sweep_at <= now())
      then 'segment' end,
    case when exists (select from public.parked_runs) then 'parked run' end,
    case when exists (select from private.audit_queue) then 'audit entry' end
  ], null);
end
$$;

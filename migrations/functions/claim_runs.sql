-- Claims runs for one worker: raises their epochs and starts their leases. Organizations take turns:
-- private.choose_runs decides their order, and src/queue/fair-share.ts decides how many runs each of them may get.
--
-- Arguments:
--   batch_size     the largest number of runs to claim
--   only_id        claims only this run, and only if it is due; null: any due runs
--   lease_seconds  how long the claims last without renewal
--   share          an object of optional members, from src/queue/fair-share.ts:
--                  after   the organization that had the last turn at this worker
--                  room    how many runs an organization may get
--                  rooms   this number for each organization to which room does not apply
--                  wake    false: do not look for runs whose wait or lease has ended. Looking takes longer than
--                          the claim itself, and a busy worker claims hundreds of times a second.
-- Result: id, organization and new epoch of each claimed run, and whether its workflow limits runs.
-- Locks: the claimed runs. Runs that other transactions have locked are skipped. If limits are involved, also the
--   advisory lock of the workflow: see admit_runs_of_workflow.
--
-- No row of one organization makes this function fail for the others: checks of the tables refuse values that its
-- functions cannot read (1764000076000-checked-values.ts), and admit_runs_of_workflow catches the remaining errors.
--
-- A run that is "running" although its lease has ended was left by a worker that died. Such a crash is counted by
-- requeue_due_runs, or by this function when only_id is given. The third crash parks the run with the reason "poison",
-- so that it cannot stop worker after worker. The number of crashes is 0 again when the steps that were ready at the
-- crash have made progress (journal/run-transaction.ts). A person continues a parked run with retry_run. A trigger
-- (record_parked_run) lists it, and engine/parked-runs.service.ts emits run.failed for it.
create or replace function gate.claim_runs(
  batch_size integer,
  only_id text,
  lease_seconds integer,
  share jsonb default '{}'
)
returns table (id text, organization_id text, epoch integer, limited boolean)
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  chosen text[] := '{}';
  recovered text[];
  run record;
begin
  if only_id is null then
    if coalesce((share ->> 'wake')::boolean, true) then
      select w.recovered into recovered from private.requeue_due_runs(20) w;
    end if;
    chosen := private.choose_runs(batch_size, share, recovered);
  else
    -- The run may still be delayed although its limit allows it now: the process that had to admit it may have died.
    -- So this function checks the limit again.
    select r.organization_id, r.workflow_id, r.slot_key,
      case when r.delayed_by = 'debounce' then r.debounce_key end as debounce_key into run
    from public.workflow_runs r
    where r.id = only_id and r.limited
      and (r.status = 'queued' and r.delayed_by is not null or r.status = 'waiting' and r.available_at <= now());
    if found then
      update public.workflow_runs r set status = 'queued'
      where r.id = any(array(
        select due.id from public.workflow_runs due
        where due.id = only_id and due.status = 'waiting' and due.available_at <= now() for update skip locked));
      perform private.admit_runs_of_workflow(run.organization_id, run.workflow_id, run.debounce_key,
        array_remove(array[run.slot_key], null), true);
    end if;
    select r.organization_id into run from public.workflow_runs r
    where r.id = only_id and r.status = 'running' and r.crashes >= 2 and r.available_at <= now()
    for update skip locked;
    if found then
      perform private.park_run(run.organization_id, only_id);
    end if;
    chosen := array(
      select r.id from public.workflow_runs r
      where r.id = only_id and r.available_at <= now()
        and (r.status = 'running' and r.crashes < 2 or r.status = 'queued' and r.delayed_by is null
          or r.status = 'waiting' and not r.limited)
        and coalesce((share -> 'rooms' ->> r.organization_id)::integer, 1) > 0
      for update skip locked);
  end if;
  return query select l.id, l.organization_id, l.epoch, l.limited from private.lease_runs(chosen, lease_seconds) l;
end
$$;

-- Lets the runs of one workflow pass its limits, as far as they allow: debounce, rate, concurrency.
--
-- Arguments:
--   organization, workflow  the workflow
--   debounce_key            look at the runs with this debounce key as well, or null
--   keys                    the concurrency keys to look at
--   waits                   true: wait for the lock. false: return null if another process has the lock
-- Result: the ids of the runs that can be claimed now, or null.
-- Locks: the runs that it changes, and one advisory lock for each workflow, until the transaction ends. With the
--   advisory lock, only one process counts and admits at a time, and the function waits for no row lock. This rules
--   out deadlocks.
--
-- SQL of a tool can store times with which the limits cannot be computed, or lock a wait that pass_debounce changes.
-- Then the function admits no run and checks up to 1,000 due runs again after 10 seconds. An error would make the
-- claims of all organizations fail. For the same reason, pass_keys changes about 1,000 runs, and the other functions
-- change at most a few thousand runs. Each search skips about 1,000 locked runs at most, for the reason that
-- choose_runs.sql names.
--
-- Each statement of a PL/pgSQL function sees what was committed before the statement. So each process sees the runs
-- that the previous process has admitted.
create or replace function private.admit_runs_of_workflow(
  organization text,
  workflow text,
  debounce_key text,
  keys text[],
  waits boolean
) returns text[]
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  limits json;
begin
  if waits then
    perform pg_advisory_xact_lock(1763700055, hashtext(organization || ' ' || workflow));
  elsif not pg_try_advisory_xact_lock(1763700055, hashtext(organization || ' ' || workflow)) then
    return null;
  end if;
  begin
    -- The current limits apply even to runs that were started before the limits were set.
    select w.trigger_options -> 'limits' into limits from public.workflows w
    where w.organization_id = organization and w.id = workflow;
    if debounce_key is not null then
      perform private.pass_debounce(organization, workflow, limits, debounce_key);
    end if;
    perform private.pass_keys(organization, workflow, limits, array(select distinct k from unnest(keys) k));
    perform private.pass_rate(organization, workflow, limits);
    return private.pass_slots(organization, workflow, limits);
  exception when data_exception or program_limit_exceeded or lock_not_available or integrity_constraint_violation then
    with due as materialized (
      select locked.id from (
        select r.ctid as place from public.workflow_runs r
        where r.organization_id = organization and r.workflow_id = workflow and r.status = 'queued'
          and r.delayed_until is not null and r.delayed_until <= now()
        order by r.delayed_until limit 2000
      ) next cross join lateral (
        select r.id from public.workflow_runs r
        where r.ctid = next.place and r.status = 'queued' and r.delayed_until <= now()
        for update skip locked
      ) locked limit 1000
    )
    update public.workflow_runs r set delayed_until = clock_timestamp() + interval '10 seconds'
    from due where r.organization_id = organization and r.id = due.id;
    return '{}';
  end;
end
$$;

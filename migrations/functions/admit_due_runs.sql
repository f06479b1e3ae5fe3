-- Checks the limits that may let runs pass now: a debounce period has ended, or a place of a rate is free.
--
-- Arguments:
--   batch_size  the largest number of runs to look at. If that many runs are due, the function also looks at one run of
--               each of up to batch_size organizations.
-- Result: how many workflows and debounce keys it checked.
-- Locks: as private.admit_runs_of_workflow, but workflows whose advisory lock is taken are skipped.
--
-- Many due runs of one organization must not keep the due runs of others waiting. So the search for one run of each
-- organization jumps from organization to organization in the index workflow_runs_delayed_turns_idx. It starts at a
-- random organization, and jumps up to 1,000 times. A run that is still due after its check is checked again after a
-- second. Otherwise such runs would stay at the beginning of the index.
--
-- Each organization has one check before another organization has a second one. After 10 ms for each run, and at most
-- one second, no further check begins. Otherwise one organization could make a claim exceed the statement timeout, and
-- all checks would be rolled back and repeated.
create or replace function private.admit_due_runs(batch_size integer) returns integer
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  ends_at constant timestamptz := clock_timestamp() + make_interval(secs => least(batch_size * 0.01, 1));
  first_organization constant text collate "C" := 'org_' || chr(48 + (random() * 75)::integer);
  at_organization text collate "C" := first_organization;
  wrapped boolean := false;
  due text[];
  first record;
  scope record;
  checked integer := 0;
begin
  due := array(
    select r.id from public.workflow_runs r
    where r.status = 'queued' and r.delayed_until is not null and r.delayed_until <= now()
    order by r.delayed_until limit batch_size);
  if cardinality(due) = batch_size then
    for visit in 1..1000 loop
      exit when cardinality(due) >= 2 * batch_size;
      select r.organization_id, r.id, r.delayed_until into first from public.workflow_runs r
      where r.status = 'queued' and r.delayed_until is not null and r.organization_id > at_organization
      order by r.organization_id, r.delayed_until limit 1;
      if not found then
        exit when wrapped;
        wrapped := true;
        at_organization := '';
        continue;
      end if;
      exit when wrapped and first.organization_id > first_organization;
      at_organization := first.organization_id;
      if first.delayed_until <= now() then
        due := due || first.id;
      end if;
    end loop;
  end if;
  for scope in
    select r.organization_id, r.workflow_id, case when r.delayed_by = 'debounce' then r.debounce_key end as debounce_key,
      array_agg(r.id) as ids, row_number() over (partition by r.organization_id) as place
    from public.workflow_runs r where r.id = any (due)
    group by 1, 2, 3 order by place, random()
  loop
    -- Null means that another process has the lock of the workflow and checks its limits.
    if private.admit_runs_of_workflow(scope.organization_id, scope.workflow_id, scope.debounce_key, '{}', false) is not null then
      checked := checked + 1;
      with unchanged as materialized (
        select r.id from public.workflow_runs r
        where r.id = any (scope.ids) and r.status = 'queued' and r.delayed_until is not null and r.delayed_until <= now()
        for update skip locked
      )
      update public.workflow_runs r set delayed_until = clock_timestamp() + interval '1 second'
      from unchanged where r.id = unchanged.id;
    end if;
    exit when clock_timestamp() > ends_at;
  end loop;
  return checked;
end
$$;

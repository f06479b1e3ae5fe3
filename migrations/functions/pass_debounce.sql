-- Applies the debounce limit of a workflow to the runs with one key. The last run replaces the earlier ones, and
-- continues when no other run came during the period.
--
-- Arguments:
--   organization, workflow  the workflow
--   limits                  its limits as JSON
--   key                     the debounce key
-- Result: nothing. Up to 1,000 earlier runs are canceled with the reason "debounced", in groups of 100. After 0.2 s, no
--   further group is canceled, because the end of a run can end many waits. If another transaction has locked the last
--   run, the function changes nothing, and the caller checks the limit again later. An earlier run must not take the
--   place of the last run.
-- Locks: the runs that it changes; earlier runs that other transactions have locked are skipped. The caller has the
--   advisory lock of the workflow. Canceling a run also changes the wait of its parent. When another transaction has
--   locked this wait, the function throws lock_not_available at once. Otherwise SQL of a tool could keep the caller
--   waiting, and with it the claims of all organizations.
create or replace function private.pass_debounce(organization text, workflow text, limits json, key text)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp set lock_timeout = '1ms' as $$
declare
  last_id text;
  moment constant timestamptz := clock_timestamp();
  period constant interval := make_interval(secs => (limits -> 'debounce' ->> 'seconds')::integer);
  max_period constant interval := make_interval(secs => (limits -> 'debounce' ->> 'max_seconds')::integer);
  last record;
  first_at timestamptz;
  ends timestamptz;
  canceled integer;
  number integer := 0;
begin
  select r.id into last_id from public.workflow_runs r
  where r.organization_id = organization and r.workflow_id = workflow and r.debounce_key = key
    and r.status = 'queued' and r.delayed_by = 'debounce'
  order by r.created_at desc, r.id desc limit 1;
  select r.id, r.created_at, coalesce(r.debounce_since, r.created_at) as since into last from public.workflow_runs r
  where r.organization_id = organization and r.id = last_id and r.status = 'queued' and r.delayed_by = 'debounce'
  for update skip locked;
  if not found then
    return;
  end if;
  first_at := last.since;
  loop
    with earlier as materialized (
      select locked.id from (
        select r.ctid as place from public.workflow_runs r
        where r.organization_id = organization and r.workflow_id = workflow and r.debounce_key = key
          and r.status = 'queued' and r.delayed_by = 'debounce'
          -- A newer run may have been stored since last was chosen. It must not be canceled.
          and (r.created_at, r.id) < (last.created_at, last.id)
        order by r.created_at, r.id limit 1100
      ) first cross join lateral (
        select r.id from public.workflow_runs r
        where r.ctid = first.place and r.status = 'queued' and r.delayed_by = 'debounce'
        for update skip locked
      ) locked limit 100
    ), replaced as (
      update public.workflow_runs r set status = 'canceled', reason = 'debounced', finished_at = moment
      from earlier where r.organization_id = organization and r.id = earlier.id
      returning coalesce(r.debounce_since, r.created_at) as since
    )
    select least(first_at, min(p.since)), count(*) into first_at, canceled from replaced p;
    number := number + canceled;
    exit when canceled < 100 or number >= 1000 or clock_timestamp() > moment + interval '200 ms';
  end loop;
  ends := coalesce(least(last.created_at + period, first_at + max_period), moment);
  if canceled = 100 then
    -- There may be more earlier runs. If the last run started now, an earlier run could start too. So the limit is
    -- checked again after a second.
    ends := moment + interval '1 second';
  end if;
  update public.workflow_runs r set
    debounce_since = first_at,
    delayed_by = case when ends > moment then 'debounce' else 'rate' end,
    reason = case when ends > moment then 'debounce' else 'rate' end,
    delayed_until = case when ends > moment then ends end
  where r.organization_id = organization and r.id = last.id;
end
$$;

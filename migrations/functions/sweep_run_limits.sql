-- Admits delayed runs whose limits let them begin now. A process that dies can leave such runs without admitting them.
--
-- Arguments: none.
-- Result: id and organization of each run that can be claimed now.
-- Locks: as private.admit_runs_of_workflow, but workflows whose advisory lock is taken are skipped.
--
-- The function checks up to 200 workflows with delayed runs and up to a thousand concurrency keys of each. It lets runs
-- of up to 200 keys pass; the next sweeps find the other keys. It takes the lock only where a run can pass. It starts
-- at a random organization, because more than 200 workflows may have delayed runs. Of each organization it checks the
-- first 50 workflows, and 50 workflows after a random id. Otherwise an organization with 200 workflows could use up all
-- checks. After two seconds it checks no further workflow, and after three seconds it looks at no further key. Otherwise
-- many keys of one organization could make the function exceed the statement timeout, and the checks of all workflows
-- would be rolled back.
create or replace function gate.sweep_run_limits()
returns table (id text, organization_id text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  began constant timestamptz := clock_timestamp();
  random_digits constant text := chr(48 + (random() * 75)::integer) || chr(48 + (random() * 75)::integer)
    || chr(48 + (random() * 75)::integer);
  first_organization constant text collate "C" := 'org_' || random_digits;
  at_organization text collate "C" := first_organization;
  at_workflow text collate "C" := '';
  checked integer := 0;
  wrapped boolean := false;
  scope record;
  delay text;
  keys text[];
  max_runs_per_key integer;
begin
  for visit in 1..200 loop
    exit when clock_timestamp() > began + interval '2 seconds';
    select r.organization_id, r.workflow_id into scope from public.workflow_runs r
    where r.status = 'queued' and r.delayed_by is not null
      and (r.organization_id, r.workflow_id) > (at_organization, at_workflow)
    order by r.organization_id, r.workflow_id limit 1;
    if not found then
      exit when wrapped;
      wrapped := true;
      at_organization := '';
      at_workflow := '';
      continue;
    end if;
    exit when wrapped and scope.organization_id > first_organization;
    checked := case when scope.organization_id = at_organization then checked + 1 else 1 end;
    at_organization := scope.organization_id;
    at_workflow := scope.workflow_id;
    begin
      keys := '{}';
      -- This is read once, and not for each key, because the options of a trigger can be 512 KiB of JSON.
      select (f.trigger_options -> 'limits' -> 'concurrency' ->> 'runs_per_key')::integer into max_runs_per_key
      from public.workflows f where f.organization_id = at_organization and f.id = at_workflow;
      foreach delay in array array['key', 'turn'] loop
        keys := keys || array(
          with recursive waiting (key, number) as (
            (select r.slot_key, 1 from public.workflow_runs r
              where r.organization_id = at_organization and r.workflow_id = at_workflow and r.delayed_by = delay
                and r.limited and r.status in ('queued', 'running')
              order by r.slot_key limit 1)
            union all
            select (
              select r.slot_key from public.workflow_runs r
              where r.organization_id = at_organization and r.workflow_id = at_workflow and r.delayed_by = delay
                and r.slot_key > w.key and r.limited and r.status in ('queued', 'running')
              order by r.slot_key limit 1), w.number + 1
            from waiting w where w.key is not null and w.number < 1000
          )
          select w.key from waiting w
          where w.key is not null and clock_timestamp() <= began + interval '3 seconds'
            and coalesce(max_runs_per_key > (
              select count(*) from (
                select from public.workflow_runs r
                where r.organization_id = at_organization and r.workflow_id = at_workflow and r.slot_key = w.key
                  and r.limited and r.status in ('queued', 'running') and (r.delayed_by is null or r.delayed_by = 'slot')
                limit 1000) holders), true)
          limit 100);
      end loop;
      return query
        select admitted.id, at_organization
        from unnest(private.admit_runs_of_workflow(at_organization, at_workflow, null, keys, false)) admitted (id);
    exception when data_exception or program_limit_exceeded then
      -- The limits of this workflow cannot be computed. The other workflows must still be checked.
      null;
    end;
    if checked = 50 then
      at_workflow := greatest(at_workflow, random_digits);
    elsif checked >= 100 then
      -- No id of an organization is between the current id and this text, so the loop continues with the next
      -- organization.
      at_organization := at_organization || chr(1);
      at_workflow := '';
    end if;
  end loop;
end
$$;

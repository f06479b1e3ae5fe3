-- Measures the stored data of an organization, and refuses or admits new rows accordingly.
--
-- Arguments: the organization.
-- Result: nothing.
-- Locks: the rows of the organization in private.quota_usage, quota_refusals and quota_measures, at the end.
--
-- Each measurement counts all rows again, so the result is right after deletions, crashes and SQL of tools. A counter
-- that each write changes could drift. The pause until the next measurement is twenty times the duration of this
-- measurement. So measurements take at most 5 % of one connection for an organization. The pause is longer, up to 600
-- seconds, if no quota could be used up during the longer pause, even by writes of 4,000 rows and 64 MiB a second.
create or replace function gate.measure_quotas(of_organization text) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan as $$
declare
  began constant timestamptz := clock_timestamp();
  contacts bigint;
  runs bigint;
  bytes bigint;
  measured record;
  pause double precision := 600;
  is_over boolean := false;
begin
  select count(*) into contacts from public.contacts c where c.organization_id = of_organization;
  select count(*) into runs from public.workflow_runs r where r.organization_id = of_organization;
  begin
    bytes := private.stored_bytes(of_organization, contacts, runs, 4000);
  exception when data_exception then
    -- SQL of a tool has stored sizes that cannot be added up. The organization counts as above every quota.
    bytes := 1e18;
  end;
  if not exists (select from public.organizations o where o.id = of_organization) then
    return;
  end if;
  for measured in
    select d.name, v.used, coalesce(e.amount, d.amount) as amount, coalesce(u.warned, false) as was_warned,
      r.name is not null as was_over, v.speed, v.until
    -- Stored bytes are estimated. An organization that was over this quota is admitted again only below 95 % of it.
    -- Otherwise its rows could be refused and admitted alternately while the estimate is near 100 %.
    from (values ('contacts', contacts, 4000, 1), ('runs', runs, 4000, 1), ('stored_bytes', bytes, 67108864, 0.95))
      as v (name, used, speed, until)
    join private.quota_defaults d on d.name = v.name
    left join private.quota_exceptions e on e.name = v.name and e.organization_id = of_organization
    left join private.quota_usage u on u.name = v.name and u.organization_id = of_organization
    left join private.quota_refusals r on r.name = v.name and r.organization_id = of_organization
    order by v.name
  loop
    declare
      over constant boolean := coalesce(measured.used >= measured.amount
        or measured.was_over and measured.used >= measured.amount * measured.until, false);
      warned constant boolean := coalesce(measured.used >= measured.amount * 0.8
        or measured.was_warned and measured.used >= measured.amount * 0.7, false);
      entry constant text := case when over and not measured.was_over then 'quota_reached'
        when measured.was_over and not over then 'quota_available'
        when warned and not measured.was_warned then 'quota_80_percent' end;
    begin
      insert into private.quota_usage as u (organization_id, name, used, warned)
      values (of_organization, measured.name, measured.used, warned)
      on conflict (organization_id, name) do update
        set used = excluded.used, measured_at = excluded.measured_at, warned = excluded.warned;
      if over then
        insert into private.quota_refusals as r (organization_id, name, amount)
        values (of_organization, measured.name, measured.amount)
        on conflict (organization_id, name) do update set amount = excluded.amount where r.amount <> excluded.amount;
      elsif measured.was_over then
        delete from private.quota_refusals r
        where r.organization_id = of_organization and r.name = measured.name;
      end if;
      -- People see this entry in the audit log.
      if entry is not null then
        perform private.write_audit(json_build_array(json_build_object('organization_id', of_organization,
          'actor_kind', 'system', 'actor_id', 'quotas', 'action', entry, 'subject', measured.name)));
      end if;
      is_over := is_over or over;
      pause := least(pause, case when over then 2 else (measured.amount - measured.used)::float8 / measured.speed end);
    end;
  end loop;
  pause := greatest(1, pause, 20 * extract(epoch from clock_timestamp() - began));
  update private.quota_measures m set
    next_at = clock_timestamp() + make_interval(secs => pause),
    due_at = clock_timestamp() + make_interval(secs => case when m.active or is_over then pause else 3600 end)
  where m.organization_id = of_organization;
end
$$;

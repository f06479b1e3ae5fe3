-- Throws when an organization has used up one of the given measured quotas.
--
-- Arguments: the organization, and the names of the quotas.
-- Result: nothing. A quota that is used up is error SB002: its message names the quota, its detail is the name, and its
--   hint is the number of seconds until the next measurement.
-- Locks: none.
create or replace function private.refuse_over(of_organization_id text, quotas text[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  refusal record;
begin
  select r.name, r.amount, greatest(1, ceil(extract(epoch from m.due_at - clock_timestamp()))) as seconds
  into refusal
  from private.quota_refusals r
  join private.quota_defaults d on d.name = r.name
  left join private.quota_exceptions e on e.name = r.name and e.organization_id = r.organization_id
  left join private.quota_measures m on m.organization_id = r.organization_id
  where r.organization_id = of_organization_id and r.name = any(quotas)
    -- The operator may have raised the quota since it was used up.
    and coalesce(e.amount, d.amount) <= r.amount
  order by r.name limit 1;
  if found then
    raise exception 'The organization has used its quota of % %.', refusal.amount, replace(refusal.name, '_', ' ')
      using errcode = 'SB002', detail = refusal.name, hint = coalesce(refusal.seconds, 1)::text;
  end if;
end
$$;

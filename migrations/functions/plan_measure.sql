-- Trigger after an organization was inserted: plans its first measurement.
--
-- Arguments: none.
-- Result: nothing.
-- Locks: only the new row.
create or replace function private.plan_measure() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  insert into private.quota_measures (organization_id) values (new.id) on conflict do nothing;
  return null;
end
$$;

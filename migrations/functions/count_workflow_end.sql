-- Trigger after a workflow was marked as deleted: gives its place back to the quota.
--
-- Arguments: none.
-- Result: nothing.
-- Locks: those of private.return_quota.
create or replace function private.count_workflow_end() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  perform private.return_quota(new.organization_id, 'workflows', 1);
  return null;
end
$$;

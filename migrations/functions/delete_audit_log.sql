-- Deletes the audit log of an organization after the organization was deleted. Only operators call this function, by
-- SQL: no code calls it.
--
-- Arguments:
--   of_organization  the organization
-- Result: how many entries were deleted. An organization that still exists is an error.
-- Locks: the deleted rows.
create or replace function private.delete_audit_log(of_organization text) returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  deleted bigint;
begin
  if exists (select from public.organizations o where o.id = of_organization) then
    raise exception 'This organization still exists. Delete the organization first, and its audit log afterwards.';
  end if;
  delete from private.audit_queue q where q.organization_id = of_organization;
  delete from private.audit_seals s where s.organization_id = of_organization;
  delete from private.audit_chains c where c.organization_id = of_organization;
  delete from public.audit_log a where a.organization_id = of_organization;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

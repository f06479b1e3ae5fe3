-- Locks the current organization until the transaction ends. Other transactions that lock the same organization wait
-- until this transaction ends.
--
-- Arguments: none. It locks the organization of the tenant context.
-- Result: nothing.
-- Locks: the row of the organization. Rows that refer to it can still be inserted.
--
-- A lock needs the right to update, which the tenant role does not have on organizations.
create or replace function public.lock_organization() returns void
language sql security definer
set search_path = pg_catalog, pg_temp as $$
select from public.organizations o where o.id = public.current_organization() for no key update
$$;

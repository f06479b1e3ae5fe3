-- Returns whether anybody has signed up.
--
-- Arguments: none.
-- Result: true if there is a person.
-- Locks: none.
create or replace function gate.has_accounts() returns boolean
language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
select exists (select from gate.users)
$$;

-- Makes PostgreSQL keep organizations apart in a table. Every migration that creates a table with rows of
-- organizations must call it; extensions call it as well.
--
-- Arguments:
--   target       the table
--   key_column   the column with the organization's id
--   bookkeeping  true: dry runs do not report changes of this table
-- Result: nothing. The table has row-level security, even for its owner, and two policies.
-- Locks: the table, exclusively, until the transaction ends.
create or replace function private.isolate(
  target regclass,
  key_column name default 'organization_id',
  bookkeeping boolean default false
) returns void
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  -- The sub-select makes the planner check the signature once per query instead of once per row.
  execute format('create policy tenant on %s using (%I = (select public.current_organization()))
    with check (%I = (select public.current_organization()))', target, key_column, key_column);
  -- FORCE applies to the owner as well, and the functions of the gate run as the owner.
  execute format('create policy owner on %s to %I using (true) with check (true)', target, current_user);
  if not bookkeeping then
    perform private.report_effects_of(target);
  end if;
end
$$;

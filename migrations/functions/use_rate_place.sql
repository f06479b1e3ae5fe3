-- Trigger function: for a run with a place of the rate limit, stores when the run began. Takes the place from a run
-- that ends before it has begun.
--
-- Arguments: none (row trigger before an update of the status of a run with a place).
-- Result: the row. When the run is canceled, the earlier times at which it began count again.
-- Locks: none.
create or replace function private.use_rate_place() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if new.status = 'running' then
    new.released_at := clock_timestamp();
  else
    new.released_at := old.earlier_begins[cardinality(old.earlier_begins)];
    new.earlier_begins := nullif(old.earlier_begins[:cardinality(old.earlier_begins) - 1], '{}');
  end if;
  return new;
end
$$;

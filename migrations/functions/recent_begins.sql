-- Returns the times at which a run began, without those that no longer count against a rate.
--
-- Arguments:
--   begins  times at which the run began, or null
--   since   this time and earlier times do not count
-- Result: the times after "since", oldest first. An empty array when there are none.
-- Locks: none.
create or replace function private.recent_begins(begins timestamptz[], since timestamptz)
returns timestamptz[]
language sql immutable
set search_path = pg_catalog, pg_temp as $$
select array(select b from unnest(begins) b where b > since order by b)
$$;

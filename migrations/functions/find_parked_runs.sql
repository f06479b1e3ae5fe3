-- Lists runs that were parked and whose failure is not published yet.
--
-- Arguments:
--   batch_size  the largest number of runs
-- Result: id and organization of each run. The first run of every organization comes before the second run of any
--   organization. So many parked runs of one organization do not keep other organizations waiting. Up to 1,000 runs of
--   each organization are considered, in random order. So a run whose event cannot be emitted does not keep the others
--   waiting.
-- Locks: none.
create or replace function gate.find_parked_runs(batch_size integer)
returns table (id text, organization_id text)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with recursive waiting (organization_id) as (
  (select p.organization_id from public.parked_runs p order by p.organization_id limit 1)
  union all
  select (
    select p.organization_id from public.parked_runs p where p.organization_id > waiting.organization_id
    order by p.organization_id limit 1
  ) from waiting where waiting.organization_id is not null
)
select next.run_id, waiting.organization_id from waiting cross join lateral (
  select first.run_id, row_number() over (order by random()) as place from (
    select p.run_id from public.parked_runs p where p.organization_id = waiting.organization_id limit 1000
  ) first
) next
order by next.place, random() limit batch_size
$$;

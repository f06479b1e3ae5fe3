-- Claims due schedules for one worker: raises their epochs and starts their leases.
--
-- Arguments:
--   batch_size     the largest number of rows to claim
--   only_id        claims only this row, and only if it is due; null: any due rows
--   lease_seconds  how long the claims last without renewal
-- Result: id, organization and new epoch of each claimed row.
-- Locks: the claimed rows. Rows that other transactions have locked are skipped.
--
-- No organization gets a second tick while another organization with due ticks has got none. Otherwise an organization
-- with a thousand schedules at midnight would keep the ticks of all others at midnight waiting. The order of
-- organizations is random, because a worker with one free slot claims one tick at a time. Only the 5,000 ticks that
-- have been due longest are compared. Otherwise each claim would read all due ticks, and the time for all claims would
-- grow with the square of the number of ticks.
--
-- lease_runs.sql says why the epochs begin again after the largest integer.
create or replace function gate.claim_schedules(batch_size integer, only_id text, lease_seconds integer)
returns table (id text, organization_id text, epoch integer)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with first as materialized (
  select s.organization_id, s.workflow_id, s.available_at from public.workflow_schedules s
  where s.available_at <= now() and (only_id is null or s.workflow_id = only_id)
  order by s.available_at limit 5000
), waiting as materialized (
  select first.organization_id, first.workflow_id,
    row_number() over (partition by first.organization_id order by first.available_at) as place
  from first
), due as materialized (
  select s.organization_id, s.workflow_id from waiting
  join public.workflow_schedules s
    on s.organization_id = waiting.organization_id and s.workflow_id = waiting.workflow_id
  where s.available_at <= now()
  order by waiting.place, random() limit batch_size for update of s skip locked
)
update public.workflow_schedules s set
  epoch = s.epoch % 2147483647 + 1, available_at = now() + make_interval(secs => lease_seconds)
from due where s.organization_id = due.organization_id and s.workflow_id = due.workflow_id
returning s.workflow_id, s.organization_id, s.epoch
$$;

-- Claims due schedules for one worker: raises their epochs and starts their leases.
--
-- Arguments:
--   batch_size     the largest number of rows to claim
--   only_id        claims only this row, and only if it is due; null: any due rows
--   lease_seconds  how long the claims last without renewal
--   share          how many ticks each organization may get, as in claim_runs.sql
-- Result: id, organization and new epoch of each claimed row.
-- Locks: the claimed rows, and possibly a few more until the transaction ends. Rows that other transactions have locked
--   are skipped.
--
-- No organization gets a second tick while another organization with due ticks has got none. Otherwise an organization
-- with a thousand schedules at midnight would keep the ticks of all others at midnight waiting. The order of
-- organizations is random, because a worker with one free slot claims one tick at a time. Only the 5,000 ticks that
-- have been due longest are compared. Otherwise each claim would read all due ticks, and the time for all claims would
-- grow with the square of the number of ticks. Ticks of organizations without room are not among the 5,000, but a claim
-- reads at most 50,000 ticks.
--
-- lease_runs.sql says why the epochs begin again after the largest integer.
create or replace function gate.claim_schedules(
  batch_size integer,
  only_id text,
  lease_seconds integer,
  share jsonb default '{}'
)
returns table (id text, organization_id text, epoch integer)
language sql security definer
set search_path = pg_catalog, pg_temp as $$
with rooms as materialized (
  select r.key as organization_id, r.value::integer as room from jsonb_each_text(share -> 'rooms') r
), first as materialized (
  select longest.* from (
    select s.organization_id, s.workflow_id, s.available_at from public.workflow_schedules s
    where s.available_at <= now() and (only_id is null or s.workflow_id = only_id)
    order by s.available_at limit 50000
  ) longest
  where longest.organization_id <> all (array(select rooms.organization_id from rooms where rooms.room <= 0))
  limit 5000
), waiting as materialized (
  select first.organization_id, first.workflow_id,
    least(batch_size, coalesce(rooms.room, (share ->> 'room')::integer, batch_size)) as room,
    row_number() over (partition by first.organization_id order by first.available_at) as place
  from first left join rooms on rooms.organization_id = first.organization_id
), chosen as materialized (
  select s.organization_id, s.workflow_id, waiting.room, waiting.place from waiting
  join public.workflow_schedules s
    on s.organization_id = waiting.organization_id and s.workflow_id = waiting.workflow_id
  where s.available_at <= now()
  -- Ticks above the room come last. They replace ticks that other workers have locked.
  order by waiting.place > waiting.room, waiting.place, random() limit batch_size for update of s skip locked
), due as materialized (
  select shared.organization_id, shared.workflow_id from (
    select c.*, row_number() over (partition by c.organization_id order by c.place) as number from chosen c
  ) shared where shared.number <= shared.room
)
update public.workflow_schedules s set
  epoch = s.epoch % 2147483647 + 1, available_at = now() + make_interval(secs => lease_seconds)
from due where s.organization_id = due.organization_id and s.workflow_id = due.workflow_id
returning s.workflow_id, s.organization_id, s.epoch
$$;

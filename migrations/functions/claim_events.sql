-- Claims undelivered domain events for one worker: raises their epochs and starts their leases.
--
-- Arguments:
--   batch_size     the largest number of rows to claim
--   only_id        claims only this row, and only if it is due; null: any due rows
--   lease_seconds  how long the claims last without renewal
--   share          how many events each organization may get, as in claim_runs.sql
-- Result: id, organization and new epoch of each claimed row.
-- Locks: the claimed rows, and possibly a few more until the transaction ends. Rows that other transactions have locked
--   are skipped.
--
-- No organization gets a second event while another organization with due events has got none. Otherwise the events of
-- one organization, for example those of an import, would keep the events of all others waiting. The order of
-- organizations is random, because a worker with one free slot claims one event at a time.
--
-- The cost grows with batch_size and the number of organizations with undelivered events, not with the number of events:
-- the search jumps from organization to organization in the index pending_events_turns_idx. It looks at 20 more events of
-- each organization than it may claim, because other workers may have locked the first ones.
--
-- lease_runs.sql says why the epochs begin again after the largest integer.
create or replace function gate.claim_events(
  batch_size integer,
  only_id text,
  lease_seconds integer,
  share jsonb default '{}'
)
returns table (id text, organization_id text, epoch integer)
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  due text[];
begin
  if only_id is null then
    due := array(
      with recursive waiting (organization_id) as (
        (select e.organization_id from public.pending_events e order by e.organization_id limit 1)
        union all
        select (
          select e.organization_id from public.pending_events e where e.organization_id > waiting.organization_id
          order by e.organization_id limit 1
        ) from waiting where waiting.organization_id is not null
      ), rooms as materialized (
        select waiting.organization_id, least(batch_size, coalesce((share -> 'rooms' ->> waiting.organization_id)::integer,
          (share ->> 'room')::integer, batch_size)) as room
        from waiting where waiting.organization_id is not null
      ), candidates as materialized (
        select rooms.organization_id, rooms.room, next.id, next.place from rooms cross join lateral (
          select e.id, row_number() over (order by e.available_at) as place from (
            select p.id, p.available_at from public.pending_events p
            where p.organization_id = rooms.organization_id and p.available_at <= now()
            order by p.available_at limit rooms.room + 20
          ) e
        ) next
        where rooms.room > 0
      ), chosen as materialized (
        select p.id, candidates.organization_id, candidates.room, candidates.place from candidates
        join public.pending_events p on p.organization_id = candidates.organization_id and p.id = candidates.id
        where p.available_at <= now()
        -- Events above the room come last. They replace events that other workers have locked.
        order by candidates.place > candidates.room, candidates.place, random() limit batch_size for update of p skip locked
      )
      select shared.id from (
        select c.id, c.room, row_number() over (partition by c.organization_id order by c.place) as number from chosen c
      ) shared where shared.number <= shared.room);
  else
    due := array(
      select e.id from public.pending_events e
      where e.id = only_id and e.available_at <= now()
        and coalesce((share -> 'rooms' ->> e.organization_id)::integer, 1) > 0
      for update skip locked);
  end if;
  return query
    update public.pending_events e set
      epoch = e.epoch % 2147483647 + 1, available_at = now() + make_interval(secs => lease_seconds)
    where e.id = any (due)
    returning e.id, e.organization_id, e.epoch;
end
$$;

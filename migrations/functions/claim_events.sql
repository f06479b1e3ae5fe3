-- Claims undelivered domain events for one worker: raises their epochs and starts their leases.
--
-- Arguments:
--   batch_size     the largest number of rows to claim
--   only_id        claims this row and no other if it is due; null for any
--   lease_seconds  how long the claims last without renewal
-- Result: id, organization and new epoch of each claimed row.
-- Locks: the claimed rows. It skips rows that others have locked.
create or replace function gate.claim_events(batch_size integer, only_id text, lease_seconds integer)
returns table (id text, organization_id text, epoch integer)
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  due text[];
begin
  if only_id is null then
    due := array(
      select e.id from public.pending_events e where e.available_at <= now()
      order by e.available_at limit batch_size for update skip locked);
  else
    due := array(
      select e.id from public.pending_events e where e.id = only_id and e.available_at <= now()
      for update skip locked);
  end if;
  return query
    update public.pending_events e set
      epoch = e.epoch + 1, available_at = now() + make_interval(secs => lease_seconds)
    where e.id = any (due)
    returning e.id, e.organization_id, e.epoch;
end
$$;

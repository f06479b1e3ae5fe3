-- Deletes one batch of rows that are older than a retention rule allows, and renews the claim.
--
-- Arguments:
--   of_organization, of_kind  the rule
--   claim                     the epoch of the claim
--   batch_size                the largest number of rows to delete
--   lease_seconds             how long the claim lasts from now
-- Result: how many rows were deleted; -1 if the claim is lost.
-- Locks: the rule and the deleted rows. Rows that other transactions have locked are skipped.
--
-- The age comes from the rule and never from the caller. So no caller can delete rows that the organization wants to
-- keep, the audit log included.
create or replace function gate.purge(
  of_organization text,
  of_kind text,
  claim integer,
  batch_size integer,
  lease_seconds integer
) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  before timestamptz;
  counted_before timestamptz;
  deleted integer;
begin
  update public.retention_rules r set available_at = now() + make_interval(secs => lease_seconds)
  where r.organization_id = of_organization and r.kind = of_kind and r.epoch = claim
  returning now() - make_interval(days => r.days) into before;
  if not found then
    return -1;
  end if;
  if of_kind = 'runs' then
    -- The steps of the runs are deleted with them.
    with expired as materialized (
      select o.id from public.workflow_runs o
      where o.organization_id = of_organization and o.finished_at < before
        and o.status in ('succeeded', 'failed', 'canceled')
      order by o.finished_at limit batch_size for update skip locked
    ) delete from public.workflow_runs r using expired where r.organization_id = of_organization and r.id = expired.id;
  elsif of_kind = 'messages' then
    -- The age of a message counts from its last change. A message that can count for a cap also stays for the longest
    -- window of the caps. Otherwise the cap would let a contact get further messages in this window. A window of more
    -- than 30 days, which only SQL of a tool can store, is ignored.
    select least(before, now() - make_interval(secs => max(w::float8))) into counted_before
    from public.sending_rules s
    cross join jsonb_path_query(s.caps, 'lax $[*].window_seconds ? (@ > 0 && @ <= 2592000)') w
    where s.organization_id = of_organization;
    -- Each of the two lists reads one range of the index, stops after the batch, and reads no row that stays.
    with uncounted as materialized (
      select o.id from public.messages o
      where o.organization_id = of_organization and num_nonnulls(o.counted_at) = 0 and o.updated_at < before
        and o.status not in ('scheduled', 'queued', 'held', 'sending', 'uncertain')
      order by o.updated_at limit batch_size for update skip locked
    ), counted as materialized (
      select o.id from public.messages o
      where o.organization_id = of_organization and num_nonnulls(o.counted_at) = 1 and o.updated_at < counted_before
        and o.status not in ('scheduled', 'queued', 'held', 'sending', 'uncertain')
      order by o.updated_at limit batch_size for update skip locked
    ), expired as materialized (
      select u.id from uncounted u union all select c.id from counted c limit batch_size
    ) delete from public.messages m using expired where m.organization_id = of_organization and m.id = expired.id;
  elsif of_kind = 'webhook_deliveries' then
    with expired as materialized (
      select o.id from public.webhook_deliveries o
      where o.organization_id = of_organization and o.received_at < before limit batch_size for update skip locked
    ) delete from public.webhook_deliveries d using expired where d.organization_id = of_organization and d.id = expired.id;
  else
    return private.purge_audit_log(of_organization, before, batch_size);
  end if;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

-- Claims messages that are due for one worker: raises their epochs and starts their leases.
--
-- Arguments:
--   batch_size     the largest number of rows to claim
--   only_id        claims this row and no other if it is due; null for any
--   lease_seconds  how long the claims last without renewal
-- Result: id, organization and new epoch of each claimed row.
-- Locks: the claimed rows. It skips rows that others have locked.
--
-- Without plan_cache_mode, PostgreSQL plans the statements for each call, which takes as long as the claim. A kept plan
-- does not know batch_size and could sort a long backlog for each claim. Without sorting, it reads messages_due_at_idx in
-- its order and stops after batch_size rows.
--
-- The two branches are separate statements, because "only_id is null or id = only_id" could use neither index.
create or replace function gate.claim_messages(batch_size integer, only_id text, lease_seconds integer)
returns table (id text, organization_id text, epoch integer)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set enable_sort = off as $$
#variable_conflict use_column
declare
  lease constant timestamptz := now() + make_interval(secs => lease_seconds);
begin
  if only_id is null then
    return query
      with due as materialized (
        select c.organization_id, c.id from public.messages c
        where c.status in ('scheduled', 'queued', 'held', 'sending') and c.due_at <= now()
          and (c.lease_until is null or c.lease_until <= now())
        order by c.due_at limit batch_size for update skip locked
      ) update public.messages m set epoch = m.epoch + 1, lease_until = lease
      from due
      where m.organization_id = due.organization_id and m.id = due.id
      returning m.id, m.organization_id, m.epoch;
  else
    return query
      with due as materialized (
        select c.organization_id, c.id from public.messages c
        where c.id = only_id and c.status in ('scheduled', 'queued', 'held', 'sending') and c.due_at <= now()
          and (c.lease_until is null or c.lease_until <= now())
        limit 1 for update skip locked
      ) update public.messages m set epoch = m.epoch + 1, lease_until = lease
      from due
      where m.organization_id = due.organization_id and m.id = due.id
      returning m.id, m.organization_id, m.epoch;
  end if;
end
$$;

-- Claims due messages for one worker: raises their epochs and starts their leases. Organizations take turns, as
-- choose_messages.sql says.
--
-- Arguments:
--   batch_size     the largest number of rows to claim
--   only_id        claims only this row, and only if it is due; null: any due rows
--   lease_seconds  how long the claims last without renewal
--   share          how many messages each organization may get, as in claim_runs.sql
-- Result: id, organization and new epoch of each claimed row.
-- Locks: the claimed rows. Rows that other transactions have locked are skipped.
--
-- Without plan_cache_mode, PostgreSQL plans the statements for each call, which takes as long as the claim. A generic
-- plan does not know batch_size, and could sort a long backlog for each claim. So sorting is off: the plan reads an
-- index in its order and stops after batch_size rows.
--
-- lease_runs.sql says why the epochs begin again after the largest integer.
create or replace function gate.claim_messages(
  batch_size integer,
  only_id text,
  lease_seconds integer,
  share jsonb default '{}'
)
returns table (id text, organization_id text, epoch integer)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set enable_sort = off as $$
#variable_conflict use_column
declare
  lease constant timestamptz := now() + make_interval(secs => lease_seconds);
  chosen record;
begin
  if only_id is null then
    select c.organizations, c.ids into chosen from private.choose_messages(batch_size, share) c;
  else
    with due as materialized (
      select c.organization_id, c.id from public.messages c
      where c.id = only_id and c.status in ('scheduled', 'queued', 'held', 'sending') and c.due_at <= now()
        and (c.lease_until is null or c.lease_until <= now())
        and coalesce((share -> 'rooms' ->> c.organization_id)::integer, 1) > 0
      limit 1 for update skip locked
    ) select array_agg(d.organization_id) as organizations, array_agg(d.id) as ids into chosen from due d;
  end if;
  return query
    update public.messages m set epoch = m.epoch % 2147483647 + 1, lease_until = lease
    from unnest(chosen.organizations, chosen.ids) as due (organization_id, id)
    where m.organization_id = due.organization_id and m.id = due.id
    returning m.id, m.organization_id, m.epoch;
end
$$;

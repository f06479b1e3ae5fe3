-- Adds entries to the audit log, and to the queue of entries that will be chained.
--
-- Arguments:
--   entries  an array of objects. Their members have the names of the columns. Without `at`, an entry has the time of
--     the transaction.
-- Result: nothing.
-- Locks: only the new rows. So no call waits for another call of its organization.
--
-- Everything that writes the audit log calls this function. An entry that is in neither the queue nor the chain was
-- inserted without this function, and `npm run audit:verify` reports it.
create or replace function private.write_audit(entries json) returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  with written as (
    insert into public.audit_log (organization_id, at, actor_kind, actor_id, action, subject, outcome, arguments_digest,
      duration_ms, address, request_id, client, unlogged)
    select e.organization_id, coalesce(e.at, now()), e.actor_kind, e.actor_id, e.action, e.subject,
      coalesce(e.outcome, 'ok'), decode(e.arguments_digest, 'hex'), e.duration_ms, e.address, e.request_id, e.client,
      coalesce(e.unlogged, 0)
    from json_to_recordset(entries) as e (organization_id text, at timestamptz(3), actor_kind text, actor_id text,
      action text, subject text, outcome text, arguments_digest text, duration_ms integer, address text,
      request_id text, client text, unlogged integer)
    returning organization_id, at, id
  )
  insert into private.audit_queue (organization_id, at, id) select w.organization_id, w.at, w.id from written w;
end
$$;

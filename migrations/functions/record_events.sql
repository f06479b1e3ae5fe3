-- Adds a batch of entries, which may belong to any organizations, to the audit log and to the log of calls.
--
-- Arguments:
--   audit_entries  the JSON of private.write_audit()
--   calls          an array of objects. Their members have the names of the columns of call_log.
-- Result: nothing. Entries and calls of an organization that does not exist are left out.
-- Locks: only the new rows.
create or replace function gate.record_events(audit_entries json, calls json) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  known json;
begin
  select coalesce(json_agg(e.value), '[]') into known from json_array_elements(audit_entries) as e (value)
  where exists (select from public.organizations o where o.id = e.value ->> 'organization_id');
  perform private.write_audit(known);
  insert into public.call_log (organization_id, at, caller_kind, caller_id, tool, outcome, error, duration_ms,
    request_id, client, unlogged)
  select c.organization_id, c.at, c.caller_kind, c.caller_id, c.tool, c.outcome, c.error, c.duration_ms, c.request_id,
    c.client, coalesce(c.unlogged, 0)
  from json_to_recordset(calls) as c (organization_id text, at timestamptz(3), caller_kind text, caller_id text,
    tool text, outcome text, error text, duration_ms integer, request_id text, client text, unlogged integer)
  where exists (select from public.organizations o where o.id = c.organization_id);
end
$$;

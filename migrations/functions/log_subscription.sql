-- Trigger function: logs the decision of a contact about a topic.
--
-- Arguments: none (row trigger on insert and update of topic_subscriptions).
-- Result: null.
-- Locks: only the new row of the log.
--
-- The function runs as the owner, so SQL of a tool can neither change nor suppress the log.
create or replace function private.log_subscription() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.consent_changes (organization_id, contact_id, recorded_for, kind, name, from_state, to_state, source,
    evidence)
  values (new.organization_id, new.contact_id, new.contact_id, 'topic', new.topic,
    case when tg_op = 'UPDATE' then old.state end, new.state, new.source, new.evidence);
  return null;
end
$$;

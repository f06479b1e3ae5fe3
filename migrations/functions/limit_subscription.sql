-- Trigger function: limits decisions about topics while the quota of stored bytes of the organization is used up.
--
-- Arguments: none (row trigger before insert and update of topic_subscriptions).
-- Result: the row, without new evidence. A contact can always leave a topic. Other decisions are error SB002, and so are
--   decisions of a contact about more than 200 topics, which only SQL of a tool makes.
-- Locks: none.
--
-- An INSERT that repeats the stored decision changes nothing, and is not limited. Merges of contacts call this trigger
-- from another trigger, and move decisions about topics without a limit. The log keeps the evidence of these decisions.
create or replace function private.limit_subscription() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  old_state text;
begin
  -- Returns rows of another organization unchanged. Row-level security refuses them after this trigger. An error here
  -- would show SQL of a tool whether the quota of that organization is used up.
  if not private.has_used_bytes(new.organization_id)
    or new.organization_id is distinct from public.current_organization() then
    return new;
  end if;
  if tg_op = 'UPDATE' then
    old_state := old.state;
    new.evidence := case when new.state = old.state then old.evidence end;
  else
    select s.state into old_state from public.topic_subscriptions s
    where s.organization_id = new.organization_id and s.contact_id = new.contact_id and s.topic = new.topic;
    new.evidence := null;
  end if;
  if pg_trigger_depth() > 1 then
    return new;
  end if;
  if new.state <> 'unsubscribed' and new.state is distinct from old_state or old_state is null and (
    select count(*) > 200 from (
      select from public.topic_subscriptions s
      where s.organization_id = new.organization_id and s.contact_id = new.contact_id limit 201
    ) own
  ) then
    perform private.refuse_over(new.organization_id, array['stored_bytes']);
  end if;
  return new;
end
$$;

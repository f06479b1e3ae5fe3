-- Trigger function: returns the log of consent and the decisions about topics to a contact whose merge was undone.
-- If the survivor now has a stricter decision about a topic, the restored contact gets this stricter decision. It also
-- leaves each topic that the survivor has left and about which it had no decision.
--
-- Arguments: none (row trigger after delete on contact_merges).
-- Result: null. Nothing happens when the contact was not restored: then the survivor was deleted.
-- Locks: the moved rows. The caller has locked the survivor.
create or replace function private.return_permission() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  strictness constant text[] := '{subscribed,pending,unsubscribed}';
begin
  if not exists (
    select from public.contacts c where c.organization_id = old.organization_id and c.id = old.merged_id
  ) then
    return null;
  end if;
  -- The restored contact also gets the log of the contacts that had been merged into it earlier.
  update public.consent_changes c set contact_id = old.merged_id
  where c.organization_id = old.organization_id and c.contact_id = old.survivor_id
    and (c.recorded_for = old.merged_id or c.recorded_for in (
      select m.merged_id from public.contact_merges m
      where m.organization_id = old.organization_id and m.survivor_id = old.merged_id));
  insert into public.topic_subscriptions (organization_id, contact_id, topic, state, source, confirmation_id,
    confirmation_address)
  select old.organization_id, old.merged_id, own.topic,
    case when array_position(strictness, other.state) > array_position(strictness, own.state) then other.state
      else own.state end,
    'unmerge', own.confirmation_id,
    -- Earlier versions of Switchboard recorded no confirmation_address in a merge. Then the recipient of the e-mail is
    -- used.
    coalesce(own.confirmation_address, (select m.recipient from public.messages m
      where m.organization_id = old.organization_id and m.id = own.confirmation_id))
  from jsonb_to_recordset(old.moved -> 'subscriptions') as own (topic text, state text, confirmation_id text,
    confirmation_address text)
  left join public.topic_subscriptions other on other.organization_id = old.organization_id
    and other.contact_id = old.survivor_id and other.topic = own.topic;
  -- A link in an e-mail to the merged contact led to the survivor. So each topic that the survivor has left may have been
  -- left by the person of the restored contact. The time of the decision does not show this: a repeated decision keeps
  -- its first time, which may be before the merge.
  insert into public.topic_subscriptions (organization_id, contact_id, topic, state, source)
  select old.organization_id, old.merged_id, s.topic, s.state, 'unmerge' from public.topic_subscriptions s
  where s.organization_id = old.organization_id and s.contact_id = old.survivor_id and s.state = 'unsubscribed'
  on conflict do nothing;
  return null;
end
$$;

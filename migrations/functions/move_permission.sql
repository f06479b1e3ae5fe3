-- Trigger function: moves the log of consent of a merged contact to the survivor. For each topic, the survivor gets the
-- stricter decision of the two. From strict to loose: unsubscribed, pending, subscribed, none.
--
-- Arguments: none (row trigger before insert on contact_merges).
-- Result: the row. Its `moved` also has the decisions of the merged contact, so that the merge can be undone.
-- Locks: the moved rows. The caller has locked both contacts.
create or replace function private.move_permission() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  strictness constant text[] := '{subscribed,pending,unsubscribed}';
begin
  update public.consent_changes c set contact_id = new.survivor_id
  where c.organization_id = new.organization_id and c.contact_id = new.merged_id;
  new.moved := new.moved || jsonb_build_object('subscriptions', (
    select coalesce(jsonb_agg(jsonb_build_object('topic', s.topic, 'state', s.state, 'confirmation_id', s.confirmation_id,
      'confirmation_address', s.confirmation_address)), '[]')
    from public.topic_subscriptions s
    where s.organization_id = new.organization_id and s.contact_id = new.merged_id));
  insert into public.topic_subscriptions as own (organization_id, contact_id, topic, state, source, evidence,
    confirmation_id, confirmation_address)
  select s.organization_id, new.survivor_id, s.topic, s.state, 'merge', s.evidence, s.confirmation_id, s.confirmation_address
  from public.topic_subscriptions s
  where s.organization_id = new.organization_id and s.contact_id = new.merged_id
  on conflict on constraint topic_subscriptions_pkey do update
    set state = excluded.state, source = excluded.source, evidence = excluded.evidence,
      confirmation_id = excluded.confirmation_id, confirmation_address = excluded.confirmation_address, changed_at = now()
    where array_position(strictness, excluded.state) > array_position(strictness, own.state);
  return new;
end
$$;

-- Stores the decisions of contacts about topics. Without a row, the default of the topic applies.
create table public.topic_subscriptions (
  organization_id text collate "C" not null
    constraint topic_subscriptions_organization_id_fkey references public.organizations (id) on delete cascade,
  contact_id text collate "C" not null,
  -- There is no foreign key: a decision stays when its topic is deleted, and applies to a later topic of the same name.
  topic text collate "C" not null,
  state text collate "C" not null,
  source text collate "C" not null,
  evidence jsonb,
  -- The message with the link that confirms a pending subscription. No other link confirms it.
  confirmation_id text collate "C",
  changed_at timestamptz(3) not null default now(),
  constraint topic_subscriptions_pkey primary key (organization_id, contact_id, topic),
  constraint topic_subscriptions_contact_id_fkey foreign key (organization_id, contact_id)
    references public.contacts (organization_id, id) on delete cascade,
  constraint topic_subscriptions_state_check check (state in ('subscribed', 'pending', 'unsubscribed'))
);
select private.isolate('public.topic_subscriptions');
create trigger log_new_subscription after insert on public.topic_subscriptions
  for each row execute function private.log_subscription();
create trigger log_changed_subscription after update on public.topic_subscriptions
  for each row when (old.state <> new.state) execute function private.log_subscription();

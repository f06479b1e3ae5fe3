-- Stores messages to and from contacts. A worker that delivers a message has a lease on it.
create table public.messages (
  organization_id text collate "C" not null
    constraint messages_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  contact_id text collate "C",
  channel text not null,
  direction text not null,
  recipient text,
  subject text,
  body text not null,
  -- Null for a message that has only text. Then only the body is sent.
  html text,
  -- The headers that the caller has set for an e-mail.
  envelope json,
  has_html boolean not null generated always as (html is not null) stored,
  -- The message is sent only to contacts that get this topic. Null: it is transactional.
  topic text collate "C",
  status text not null,
  status_reason text,
  -- The code of status_reason, from a closed list.
  reason_code text,
  idempotency_key text,
  -- The provider's id of a received message. A message with an id that is stored already is a duplicate.
  external_id text collate "C",
  -- The provider that a sent message was handed to. There is no foreign key: the message stays when the provider is
  -- deleted.
  provider_id text collate "C",
  -- The provider's id of a sent message. Reports of the provider name the message by this id.
  provider_message_id text collate "C",
  -- What to do when it is unknown whether the message was sent. Null means the default of the channel.
  on_uncertain text,
  -- There is no foreign key: the message stays as a record when its run is purged.
  run_id text collate "C",
  -- The published version of a template that the message was made from. There is no foreign key: the message stays when
  -- this version is deleted.
  template_id text collate "C",
  template_version integer,
  locale text,
  attempts integer not null default 0,
  epoch integer not null default 0,
  scheduled_at timestamptz(3),
  due_at timestamptz not null default now(),
  -- The message loses its reserved place in the limit of a provider a second after this time.
  slot_at timestamptz,
  -- The name of the cap that holds the message: the channel of the cap, and its topic if the cap has one.
  held_by text collate "C",
  -- The last attempt began at this time. Null when the organization had no sending rules.
  counted_at timestamptz,
  lease_until timestamptz,
  sent_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint messages_pkey primary key (organization_id, id),
  constraint messages_contact_id_fkey foreign key (organization_id, contact_id)
    references public.contacts (organization_id, id) on delete set null (contact_id),
  constraint messages_status_check check (
    status in ('scheduled', 'queued', 'held', 'sending', 'sent', 'failed', 'canceled', 'delivered', 'received', 'uncertain',
      'suppressed')
  ),
  constraint messages_on_uncertain_check check (on_uncertain in ('resend', 'hold'))
);
create index messages_organization_id_created_at_idx on public.messages (organization_id, created_at, id);
create index messages_organization_id_contact_id_idx
  on public.messages (organization_id, contact_id, created_at, id);
create index messages_organization_id_run_id_idx on public.messages (organization_id, run_id, created_at, id);
-- The index contains only the rows that workers claim: it stays small however many messages were sent.
create index messages_due_idx on public.messages (organization_id, due_at)
  where status in ('scheduled', 'queued', 'held', 'sending');
-- A wake-up names a message by its id alone.
create index messages_unfinished_id_idx on public.messages (id)
  where status in ('scheduled', 'queued', 'held', 'sending');
create unique index messages_external_id_key on public.messages (organization_id, channel, external_id)
  where external_id is not null;
create index messages_provider_message_id_idx on public.messages (organization_id, provider_message_id)
  where provider_message_id is not null;
-- These indexes contain only messages of organizations with sending rules.
create index messages_counted_at_idx on public.messages (organization_id, contact_id, channel, counted_at)
  where counted_at is not null;
create index messages_held_idx on public.messages (organization_id, contact_id, held_by) where status = 'held';
select private.isolate('public.messages');

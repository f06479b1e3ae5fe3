-- Stores when an organization sends messages: its quiet hours, and its caps. Without a row, or without quiet hours
-- and caps, every message is sent at once.
create table public.sending_rules (
  organization_id text collate "C" not null
    constraint sending_rules_organization_id_fkey references public.organizations (id) on delete cascade,
  -- The time zone of contacts that have none.
  timezone text not null,
  -- True: the rules apply to e-mails without a topic too. Messages of other channels always follow them.
  transactional_email boolean not null default false,
  -- Null: there are no quiet hours. Quiet hours end on the next day when quiet_to is not later than quiet_from.
  quiet_from text,
  quiet_to text,
  -- The days on which quiet hours begin, from 1 for Monday to 7 for Sunday.
  quiet_days integer[],
  quiet_channels text[],
  -- Objects with channel, topic (null: any), most, window_seconds and on_cap (hold or drop).
  caps jsonb not null default '[]',
  updated_at timestamptz(3) not null default now(),
  constraint sending_rules_pkey primary key (organization_id),
  constraint sending_rules_times_check check (
    quiet_from ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$' and quiet_to ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'
  ),
  constraint sending_rules_quiet_check check (num_nulls(quiet_from, quiet_to, quiet_days, quiet_channels) in (0, 4))
);
select private.isolate('public.sending_rules');

-- Stores the topics of messages, which contacts can leave.
create table public.topics (
  organization_id text collate "C" not null
    constraint topics_organization_id_fkey references public.organizations (id) on delete cascade,
  -- The name of the topic in messages, links and decisions. It never changes.
  name text collate "C" not null,
  title text not null,
  description text,
  -- True: contacts that have not decided get messages of the topic.
  opted_in boolean not null,
  -- True: a contact that subscribes must confirm the subscription with the link in an e-mail.
  double_opt_in boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint topics_pkey primary key (organization_id, name),
  constraint topics_name_check check (name ~ '^[a-z][a-z0-9_-]{0,63}$'),
  constraint topics_double_opt_in_check check (not (opted_in and double_opt_in))
);
select private.isolate('public.topics');

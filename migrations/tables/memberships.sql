-- Stores the memberships of people in organizations.
create table public.memberships (
  organization_id text collate "C" not null
    constraint memberships_organization_id_fkey references public.organizations (id) on delete cascade,
  user_id text collate "C" not null
    constraint memberships_user_id_fkey references gate.users (id) on delete cascade,
  role text not null,
  created_at timestamptz not null default now(),
  constraint memberships_pkey primary key (organization_id, user_id),
  constraint memberships_role_check check (role in ('owner', 'member'))
);
create index memberships_user_id_idx on public.memberships (user_id);
select private.isolate('public.memberships');

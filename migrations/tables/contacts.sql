-- Stores the people that an organization knows and writes to.
create table public.contacts (
  organization_id text collate "C" not null
    constraint contacts_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  external_id text,
  email text collate "C",
  phone text collate "C",
  first_name text,
  last_name text,
  locale text,
  timezone text,
  tags text[] not null default '{}',
  properties jsonb not null default '{}',
  consent jsonb not null default '{}',
  -- Names and addresses in lowercase, for the search.
  search_text text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint contacts_pkey primary key (organization_id, id),
  constraint contacts_organization_id_external_id_key unique (organization_id, external_id),
  constraint contacts_organization_id_email_key unique (organization_id, email),
  constraint contacts_organization_id_phone_key unique (organization_id, phone),
  constraint contacts_identifier_check check (num_nonnulls(external_id, email, phone) > 0)
);
create index contacts_organization_id_created_at_idx on public.contacts (organization_id, created_at, id);
create index contacts_organization_id_updated_at_idx on public.contacts (organization_id, updated_at, id);
-- Under row-level security PostgreSQL uses an index only for leakproof operators, and those of arrays and jsonb are
-- not. So functions that run as the owner read the next two indexes. Their pending lists are short, because
-- every search reads the complete pending list of a GIN index.
create index contacts_search_text_idx on public.contacts
  using gin (private.contact_search_keys(organization_id, search_text, 1)) with (gin_pending_list_limit = 256);
-- No plan needs statistics about the keys, and ANALYZE would take a second for them.
alter index public.contacts_search_text_idx alter column 1 set statistics 0;
create index contacts_filter_idx on public.contacts
  using gin (private.contact_filter_keys(organization_id, tags, properties)) with (gin_pending_list_limit = 256);
alter index public.contacts_filter_idx alter column 1 set statistics 0;
select private.isolate('public.contacts');

-- Stores the declared properties of contacts, with the type that their values have.
create table public.contact_properties (
  organization_id text collate "C" not null
    constraint contact_properties_organization_id_fkey references public.organizations (id) on delete cascade,
  name text collate "C" not null,
  type text collate "C" not null,
  -- The values of the type enum. Empty for other types.
  options text[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint contact_properties_pkey primary key (organization_id, name),
  constraint contact_properties_name_check check (name ~ '^[A-Za-z][A-Za-z0-9_]{0,63}$'),
  constraint contact_properties_type_check check (type in ('text', 'number', 'boolean', 'date', 'enum', 'list')),
  constraint contact_properties_options_check check ((type = 'enum') = (cardinality(options) > 0))
);
select private.isolate('public.contact_properties');

-- Stores further addresses and external ids of contacts. An address or external id belongs to one contact only: it is
-- either in the contact's row or an alias. Triggers check both tables.
create table public.contact_aliases (
  organization_id text collate "C" not null
    constraint contact_aliases_organization_id_fkey references public.organizations (id) on delete cascade,
  kind text collate "C" not null,
  value text collate "C" not null,
  contact_id text collate "C" not null,
  created_at timestamptz(3) not null default now(),
  constraint contact_aliases_pkey primary key (organization_id, kind, value),
  constraint contact_aliases_contact_id_fkey foreign key (organization_id, contact_id)
    references public.contacts (organization_id, id) on delete cascade,
  constraint contact_aliases_kind_check check (kind in ('email', 'phone', 'external_id')),
  constraint contact_aliases_value_check check (length(value) between 1 and 255)
);
create index contact_aliases_contact_id_idx on public.contact_aliases (organization_id, contact_id);
select private.isolate('public.contact_aliases');
create trigger claim_alias before insert on public.contact_aliases
  for each row execute function private.claim_alias();
create trigger claim_new_addresses before insert on public.contacts
  for each row when (num_nonnulls(new.email, new.phone, new.external_id) > 0)
  execute function private.claim_contact_addresses();
create trigger claim_changed_addresses before update on public.contacts
  for each row when (new.email is distinct from old.email or new.phone is distinct from old.phone
    or new.external_id is distinct from old.external_id)
  execute function private.claim_contact_addresses();

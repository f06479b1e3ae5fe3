-- Stores the settings of an organization for its contacts. Without a row, the defaults of the columns apply.
create table public.contact_settings (
  organization_id text collate "C" not null
    constraint contact_settings_organization_id_fkey references public.organizations (id) on delete cascade,
  -- A country (ISO 3166). Phone numbers in national form are read as numbers of this country.
  region text collate "C",
  -- True: contacts get no properties that are not declared.
  strict_properties boolean not null default false,
  -- The language of contacts without a locale: a tag such as pt-BR (BCP 47).
  default_locale text,
  -- The answer to a text message that consists of HELP. Null: there is no answer.
  sms_help text,
  constraint contact_settings_pkey primary key (organization_id),
  constraint contact_settings_region_check check (region ~ '^[A-Z]{2}$')
);
select private.isolate('public.contact_settings');

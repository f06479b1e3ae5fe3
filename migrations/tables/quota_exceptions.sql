-- Stores the quotas of organizations that differ from the default.
create table private.quota_exceptions (
  organization_id text collate "C" not null
    constraint quota_exceptions_organization_id_fkey references public.organizations (id) on delete cascade,
  name text collate "C" not null
    constraint quota_exceptions_name_fkey references private.quota_defaults (name),
  amount bigint not null constraint quota_exceptions_amount_check check (amount >= 0),
  constraint quota_exceptions_pkey primary key (organization_id, name)
);

-- Stores a row for each change of the consent or of a subscription of a contact. Triggers write the row in the
-- statement that makes the change. The role of tenants can only read the rows. They are deleted together with the
-- contact.
create table public.consent_changes (
  organization_id text collate "C" not null,
  contact_id text collate "C" not null,
  -- The order of the changes. Changes of one transaction have the same time.
  id bigint generated always as identity,
  -- The contact at the time of the change. A merge changes contact_id, and undoing the merge needs the earlier
  -- contact.
  recorded_for text collate "C" not null,
  kind text collate "C" not null,
  -- The channel or the topic.
  name text collate "C" not null,
  from_state text collate "C",
  to_state text collate "C",
  source text collate "C" not null,
  evidence jsonb,
  at timestamptz(3) not null default now(),
  constraint consent_changes_pkey primary key (organization_id, contact_id, id),
  constraint consent_changes_contact_id_fkey foreign key (organization_id, contact_id)
    references public.contacts (organization_id, id) on delete cascade,
  constraint consent_changes_kind_check check (kind in ('channel', 'topic'))
);
select private.isolate('public.consent_changes', bookkeeping => true);
create trigger log_new_consent after insert on public.contacts
  for each row when (new.consent <> '{}') execute function private.log_consent();
create trigger log_changed_consent after update on public.contacts
  for each row when (old.consent <> new.consent) execute function private.log_consent();
create trigger move_permission before insert on public.contact_merges
  for each row execute function private.move_permission();
create trigger return_permission after delete on public.contact_merges
  for each row when (old.moved is not null) execute function private.return_permission();

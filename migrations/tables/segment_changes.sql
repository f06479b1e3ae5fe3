-- Lists contacts that were written and have not been compared with the dynamic segments of their organization.
create table public.segment_changes (
  organization_id text collate "C" not null
    constraint segment_changes_organization_id_fkey references public.organizations (id) on delete cascade,
  -- The transaction that wrote the contact. Each transaction has its own row, because a worker may be reading the row
  -- of another transaction.
  xid text collate "C" not null default (pg_current_xact_id())::text,
  contact_id text collate "C" not null,
  -- True if the write must start no workflows: then the contact enters and leaves segments without an event.
  silent boolean not null default false,
  constraint segment_changes_pkey primary key (organization_id, xid, contact_id)
);
select private.isolate('public.segment_changes', bookkeeping => true);
create trigger segment_insert after insert on public.contacts
  referencing new table as written for each statement execute function private.mark_segment_changes();
create trigger segment_update after update on public.contacts
  referencing new table as written for each statement execute function private.mark_segment_changes();

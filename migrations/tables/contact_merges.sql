-- Stores which contacts were merged into others. The ids of merged contacts mean the survivor from then on.
create table public.contact_merges (
  organization_id text collate "C" not null
    constraint contact_merges_organization_id_fkey references public.organizations (id) on delete cascade,
  merged_id text collate "C" not null,
  -- There is no foreign key: this contact may later be merged into another contact.
  into_id text collate "C" not null,
  -- The contact that the id means now. A later merge of the survivor changes this column, so one look-up is enough.
  survivor_id text collate "C" not null,
  merged_at timestamptz(3) not null default now(),
  -- The data of both contacts before the merge, and of the survivor after the merge. gate.purge_contact_merges() sets
  -- this column to null.
  undo json,
  -- The ids of the rows that were moved, by kind. Null when undo is null.
  moved jsonb,
  constraint contact_merges_pkey primary key (organization_id, merged_id),
  constraint contact_merges_survivor_id_fkey foreign key (organization_id, survivor_id)
    references public.contacts (organization_id, id) on delete cascade,
  constraint contact_merges_undo_check check ((undo is null) = (moved is null))
);
create index contact_merges_survivor_id_idx on public.contact_merges (organization_id, survivor_id);
create index contact_merges_undo_idx on public.contact_merges (merged_at) where undo is not null;
select private.isolate('public.contact_merges');

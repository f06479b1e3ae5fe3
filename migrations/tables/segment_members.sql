-- Stores who is in each segment. The rows of a dynamic segment are the result of the last comparison.
create table public.segment_members (
  organization_id text collate "C" not null,
  segment_id text collate "C" not null,
  contact_id text collate "C" not null,
  entered_at timestamptz(3) not null default now(),
  constraint segment_members_pkey primary key (organization_id, segment_id, contact_id),
  constraint segment_members_segment_id_fkey foreign key (organization_id, segment_id)
    references public.segments (organization_id, id) on delete cascade,
  constraint segment_members_contact_id_fkey foreign key (organization_id, contact_id)
    references public.contacts (organization_id, id) on delete cascade
);
create index segment_members_contact_id_idx on public.segment_members (organization_id, contact_id);
select private.isolate('public.segment_members');

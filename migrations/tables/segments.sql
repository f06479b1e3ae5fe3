-- Stores segments of contacts. A dynamic segment has the contacts that its filters match, a static one those that were
-- added.
create table public.segments (
  organization_id text collate "C" not null
    constraint segments_organization_id_fkey references public.organizations (id) on delete cascade,
  id text collate "C" not null,
  name text collate "C" not null,
  description text,
  kind text not null,
  -- Conditions in the form that search_contacts takes. They name other segments by id. Null for a static segment.
  filters json,
  -- The ids of the segments that the filters name.
  uses text[] not null default '{}',
  -- True if contacts can begin or stop matching without a write: by time alone, or because of a message or a run.
  timed boolean not null default false,
  -- True until every contact was compared once since the filters were saved. Until then no contact counts as entering
  -- or leaving.
  baseline boolean not null,
  -- The time at which a comparison of all contacts is due. Null when only changed contacts need a comparison.
  sweep_at timestamptz,
  -- Contacts up to this id have been compared.
  position text collate "C" not null default '',
  -- The milliseconds that the current comparison of every contact has taken.
  sweep_ms integer not null default 0,
  -- The id of the transaction that created the segment. The first comparison waits until all transactions with smaller
  -- ids have ended: they may have written contacts without a row in segment_changes.
  barrier text,
  evaluated_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint segments_pkey primary key (organization_id, id),
  constraint segments_organization_id_name_key unique (organization_id, name),
  constraint segments_kind_check check (kind in ('dynamic', 'static') and (kind = 'dynamic') = (filters is not null))
);
create index segments_newest_idx on public.segments (organization_id, created_at, id);
create index segments_dynamic_idx on public.segments (organization_id) where kind = 'dynamic';
create index segments_sweep_at_idx on public.segments (sweep_at) where sweep_at is not null;
select private.isolate('public.segments');

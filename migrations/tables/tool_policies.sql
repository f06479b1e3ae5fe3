-- Stores the decisions of organizations about single tools. A tool without a row is visible and needs no confirmation.
create table public.tool_policies (
  organization_id text collate "C" not null
    constraint tool_policies_organization_id_fkey references public.organizations (id) on delete cascade,
  -- Only names of registered tools are stored, so an organization has at most one row for each tool.
  tool text collate "C" not null,
  hidden boolean not null default false,
  confirmation text not null default 'never',
  updated_at timestamptz not null default now(),
  constraint tool_policies_pkey primary key (organization_id, tool),
  constraint tool_policies_tool_check check (char_length(tool) between 1 and 64),
  constraint tool_policies_confirmation_check check (confirmation in ('never', 'when_possible', 'always'))
);
select private.isolate('public.tool_policies');

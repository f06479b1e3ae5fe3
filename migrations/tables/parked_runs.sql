-- Lists parked runs whose failure is not published yet. A trigger on workflow_runs adds them.
create table public.parked_runs (
  organization_id text collate "C" not null
    constraint parked_runs_organization_id_fkey references public.organizations (id) on delete cascade,
  run_id text collate "C" not null,
  constraint parked_runs_pkey primary key (organization_id, run_id),
  constraint parked_runs_run_id_fkey foreign key (organization_id, run_id)
    references public.workflow_runs (organization_id, id) on delete cascade
);
select private.isolate('public.parked_runs', bookkeeping => true);

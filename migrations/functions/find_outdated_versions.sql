-- Reads one page of all workflow versions and finds versions in use that perhaps do not fit the tools of this release.
-- A version is in use when an active workflow, or a run that has not ended, has this version.
--
-- Arguments:
--   schemas     the hashes of the present argument schemas by tool
--   after_...   the last version of the previous page
--   batch_size  the largest number of versions of the page
-- Result: the versions with outdated = true. The last version of the page is always included, so that the
--   caller can continue after it.
-- Locks: none.
--
-- A page ends after 256 KiB of stored schemas. SQL of a tool can store 8 MiB of schemas in each version, and reading 1,000
-- such versions would exceed the time limit of a statement.
create or replace function gate.find_outdated_versions(
  schemas jsonb,
  after_organization_id text,
  after_workflow_id text,
  after_version integer,
  batch_size integer
)
returns table (organization_id text, workflow_id text, version integer, outdated boolean)
language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
with page as materialized (
  select v.organization_id, v.workflow_id, v.version, (schemas @> v.known) is not true as differs,
    row_number() over (order by v.organization_id desc, v.workflow_id desc, v.version desc) = 1 as last
  from (
    select k.*, sum(pg_column_size(k.known)) over (order by k.organization_id, k.workflow_id, k.version
      rows between unbounded preceding and 1 preceding) as bytes_before
    from (
      select w.organization_id, w.workflow_id, w.version, coalesce(w.fitting_schemas, w.tool_schemas) as known
      from public.workflow_versions w
      where (w.organization_id, w.workflow_id, w.version)
        > (after_organization_id collate "C", after_workflow_id collate "C", after_version)
      order by w.organization_id, w.workflow_id, w.version
      limit batch_size
    ) k
  ) v
  where coalesce(v.bytes_before, 0) < 262144
), checked as (
  select p.organization_id, p.workflow_id, p.version, p.last,
    case when p.differs then
      exists (
        select from public.workflows w
        where w.organization_id = p.organization_id and w.id = p.workflow_id and w.version = p.version
          and w.active and w.deleted_at is null
      ) or exists (
        select from public.workflow_runs r
        where r.organization_id = p.organization_id and r.workflow_id = p.workflow_id
          and r.workflow_version = p.version and r.status in ('queued', 'running', 'waiting')
      )
    else false end as outdated
  from page p
)
select j.organization_id, j.workflow_id, j.version, j.outdated from checked j
where j.outdated or j.last
order by j.organization_id, j.workflow_id, j.version
$$;

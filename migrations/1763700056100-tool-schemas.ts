import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Versions keep which schemas of tools they were made for, so that it can be told which of them a deploy would break.
 * `workflow_versions` is locked for a moment, no row is rewritten: of versions from before, the schemas are not known.
 */
export class ToolSchemas1763700056100 implements MigrationInterface {
  readonly name = 'ToolSchemas1763700056100';

  async up(runner: QueryRunner): Promise<void> {
    // jsonb for its containment: "are all of these schemas still the present ones?" is one operator.
    await runner.query(`
      alter table public.workflow_versions
        add column tool_schemas jsonb,
        add column fitting_schemas jsonb,
        add column loose_references json`);
    // Looks through a page of all versions. Returns those in use, by an active workflow or by runs that have not ended,
    // that have not been found to fit these schemas; and the last one of the page in any case, to go on from.
    await runner.query(`
      create function gate.find_outdated_versions(
        schemas jsonb, after_organization_id text, after_workflow_id text, after_version integer, most integer)
      returns table (organization_id text, workflow_id text, version integer, outdated boolean)
      language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        with page as materialized (
          select v.organization_id, v.workflow_id, v.version,
            (schemas @> coalesce(v.fitting_schemas, v.tool_schemas)) is not true as differs,
            row_number() over (order by v.organization_id desc, v.workflow_id desc, v.version desc) = 1 as last
          from (
            select * from public.workflow_versions v
            where (v.organization_id, v.workflow_id, v.version)
              > (after_organization_id collate "C", after_workflow_id collate "C", after_version)
            order by v.organization_id, v.workflow_id, v.version
            limit most
          ) v
        ), judged as (
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
        select j.organization_id, j.workflow_id, j.version, j.outdated from judged j
        where j.outdated or j.last
        order by j.organization_id, j.workflow_id, j.version
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `drop function gate.find_outdated_versions(jsonb, text, text, integer, integer)`,
    );
    await runner.query(`
      alter table public.workflow_versions
        drop column loose_references, drop column fitting_schemas, drop column tool_schemas`);
  }
}

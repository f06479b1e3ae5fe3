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
    // A page of the newest versions of active workflows that have not been found to fit these schemas.
    await runner.query(`
      create function gate.find_outdated_workflows(
        schemas jsonb, after_organization_id text, after_workflow_id text, most integer)
      returns table (organization_id text, workflow_id text, version integer)
      language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select w.organization_id, w.id, w.version
        from public.workflows w
        join public.workflow_versions v on v.organization_id = w.organization_id and v.workflow_id = w.id
          and v.version = w.version
        where w.active and w.deleted_at is null
          and (w.organization_id, w.id) > (after_organization_id collate "C", after_workflow_id collate "C")
          and (schemas @> coalesce(v.fitting_schemas, v.tool_schemas)) is not true
        order by w.organization_id, w.id
        limit most
      $$`);
    // The same of all other versions that runs keep to which have not ended. Where every version fits, no run is read.
    await runner.query(`
      create function gate.find_outdated_runs(schemas jsonb, most integer)
      returns table (organization_id text, workflow_id text, version integer)
      language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
      #variable_conflict use_column
      begin
        if not exists (
          select from public.workflow_versions v
          where (schemas @> coalesce(v.fitting_schemas, v.tool_schemas)) is not true
        ) then
          return;
        end if;
        return query
          select distinct v.organization_id, v.workflow_id, v.version
          from public.workflow_runs r
          join public.workflow_versions v on v.organization_id = r.organization_id
            and v.workflow_id = r.workflow_id and v.version = r.workflow_version
          join public.workflows w on w.organization_id = r.organization_id and w.id = r.workflow_id
          where r.status in ('queued', 'running', 'waiting')
            and (schemas @> coalesce(v.fitting_schemas, v.tool_schemas)) is not true
            and (w.version <> v.version or not w.active or w.deleted_at is not null)
          limit most;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.find_outdated_runs(jsonb, integer)`);
    await runner.query(`drop function gate.find_outdated_workflows(jsonb, text, text, integer)`);
    await runner.query(`
      alter table public.workflow_versions
        drop column loose_references, drop column fitting_schemas, drop column tool_schemas`);
  }
}

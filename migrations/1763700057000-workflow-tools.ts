import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Workflows that an organization offers to its agents as tools. */
export class WorkflowTools1763700057000 implements MigrationInterface {
  readonly name = 'WorkflowTools1763700057000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table public.workflow_tools (
        organization_id text collate "C" not null
          constraint workflow_tools_organization_id_fkey references public.organizations (id) on delete cascade,
        workflow_id text collate "C" not null,
        name text collate "C" not null,
        title text not null,
        description text not null,
        input_schema json not null,
        wait_seconds integer not null,
        result json,
        revision text not null,
        updated_at timestamptz not null default now(),
        constraint workflow_tools_pkey primary key (organization_id, workflow_id),
        constraint workflow_tools_name_key unique (organization_id, name),
        constraint workflow_tools_workflow_id_fkey foreign key (organization_id, workflow_id)
          references public.workflows (organization_id, id) on delete cascade,
        constraint workflow_tools_name_check check (name ~ '^[a-z][a-z0-9_]{0,63}$'),
        constraint workflow_tools_wait_check check (wait_seconds between 0 and 25)
      )`);
    await runner.query(`select private.isolate('public.workflow_tools')`);
    // A new name beside authenticate_api_key: processes of the release before go on using that one until they are
    // replaced, and their prepared statements break when its result changes. own_tools is null where nothing is offered
    // that can be called; otherwise it names the state of all that is, so that lists can be kept under it.
    await runner.query(`
      create function gate.open_api_key(key_hash bytea)
      returns table (id text, organization_id text, stale boolean, policies jsonb, own_tools text)
      language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select k.id, k.organization_id, coalesce(k.last_used_at < now() - interval '1 minute', true), (
          select jsonb_agg(jsonb_build_object('tool', p.tool, 'hidden', p.hidden, 'confirmation', p.confirmation))
          from public.tool_policies p where p.organization_id = k.organization_id
        ), (
          select string_agg(t.revision, ' ' order by t.name)
          from public.workflow_tools t
          join public.workflows w on w.organization_id = t.organization_id and w.id = t.workflow_id
          where t.organization_id = k.organization_id and w.active and w.deleted_at is null
        )
        from public.api_keys k where k.hash = key_hash and k.revoked_at is null
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.open_api_key(bytea)`);
    await runner.query(`drop table public.workflow_tools`);
  }
}

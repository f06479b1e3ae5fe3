import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What organizations have decided about single tools. A tool without a row is visible and asks for nothing. */
export class ToolPolicies1763700008100 implements MigrationInterface {
  readonly name = 'ToolPolicies1763700008100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table public.tool_policies (
        organization_id text collate "C" not null
          constraint tool_policies_organization_id_fkey references public.organizations (id) on delete cascade,
        tool text collate "C" not null,
        hidden boolean not null default false,
        confirmation text not null default 'never',
        updated_at timestamptz not null default now(),
        constraint tool_policies_pkey primary key (organization_id, tool),
        constraint tool_policies_tool_check check (char_length(tool) between 1 and 64),
        constraint tool_policies_confirmation_check check (confirmation in ('never', 'when_possible', 'always'))
      )`);
    await runner.query(`select private.isolate('public.tool_policies')`);
    // A new name beside find_api_key: processes of the release before go on using that one until they are replaced,
    // and their prepared statements break when its result changes. Policies are null where there are none; only
    // names of registered tools are stored, so there are never more of them than tools.
    await runner.query(`
      create function gate.authenticate_api_key(key_hash bytea)
      returns table (id text, organization_id text, stale boolean, policies jsonb)
      language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select k.id, k.organization_id, coalesce(k.last_used_at < now() - interval '1 minute', true), (
          select jsonb_agg(jsonb_build_object('tool', p.tool, 'hidden', p.hidden, 'confirmation', p.confirmation))
          from public.tool_policies p where p.organization_id = k.organization_id
        )
        from public.api_keys k where k.hash = key_hash and k.revoked_at is null
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.authenticate_api_key(bytea)`);
    await runner.query(`drop table public.tool_policies`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys: at most one that is not revoked per organization, found by the SHA-256 of the raw key. */
export class Keys1763700002000 implements MigrationInterface {
  readonly name = 'Keys1763700002000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table public.api_keys (
        organization_id text collate "C" not null
          constraint api_keys_organization_id_fkey references public.organizations (id) on delete cascade,
        id text collate "C" not null,
        hash bytea not null,
        prefix text not null,
        last_four text not null,
        created_by text collate "C",
        created_at timestamptz not null default now(),
        last_used_at timestamptz,
        revoked_at timestamptz,
        constraint api_keys_pkey primary key (organization_id, id)
      )`);
    await runner.query(
      `create unique index api_keys_one_active on public.api_keys (organization_id) where revoked_at is null`,
    );
    // Global on purpose: the hash is what a caller is recognized by before its organization is known.
    await runner.query(`create unique index api_keys_hash_key on public.api_keys (hash)`);
    await runner.query(`select private.isolate('public.api_keys')`);
    // last_used_at is kept to the minute, so that most calls write nothing.
    await runner.query(`
      create function gate.find_api_key(key_hash bytea) returns table (id text, organization_id text, stale boolean)
      language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select k.id, k.organization_id, coalesce(k.last_used_at < now() - interval '1 minute', true)
        from public.api_keys k where k.hash = key_hash and k.revoked_at is null
      $$`);
    await runner.query(`
      create function gate.touch_api_key(key_organization_id text, key_id text) returns void
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        update public.api_keys set last_used_at = now()
        where organization_id = key_organization_id and id = key_id
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.touch_api_key(text, text)`);
    await runner.query(`drop function gate.find_api_key(bytea)`);
    await runner.query(`drop table public.api_keys`);
  }
}

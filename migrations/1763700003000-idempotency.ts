import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Results of calls that carried an idempotency key, kept so that the same call again is answered, not repeated. */
export class Idempotency1763700003000 implements MigrationInterface {
  readonly name = 'Idempotency1763700003000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table public.idempotency_keys (
        organization_id text collate "C" not null
          constraint idempotency_keys_organization_id_fkey references public.organizations (id) on delete cascade,
        tool text not null,
        key text collate "C" not null,
        fingerprint bytea not null,
        result json,
        created_at timestamptz not null default now(),
        constraint idempotency_keys_pkey primary key (organization_id, tool, key)
      )`);
    await runner.query(
      `create index idempotency_keys_created_at_idx on public.idempotency_keys (created_at)`,
    );
    await runner.query(`select private.isolate('public.idempotency_keys')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table public.idempotency_keys`);
  }
}

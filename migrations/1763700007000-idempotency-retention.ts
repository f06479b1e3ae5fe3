import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Idempotency keys are forgotten after a while: without that their table would only ever grow. */
export class IdempotencyRetention1763700007000 implements MigrationInterface {
  readonly name = 'IdempotencyRetention1763700007000';

  async up(runner: QueryRunner): Promise<void> {
    // In small pieces, so that no call waits for a long delete; answers how many went.
    await runner.query(`
      create function gate.purge_idempotency_keys(keep_days integer, most integer) returns integer
      language sql security definer set search_path = pg_catalog, pg_temp as $$
        with gone as (
          delete from public.idempotency_keys k using (
            select i.ctid from public.idempotency_keys i
            where i.created_at < now() - make_interval(days => keep_days)
            order by i.created_at limit most for update skip locked
          ) old where k.ctid = old.ctid
          returning 1
        )
        select count(*)::integer from gone
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function gate.purge_idempotency_keys(integer, integer)`);
  }
}

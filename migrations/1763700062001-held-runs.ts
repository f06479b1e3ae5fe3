import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A check that the server makes by itself, so that the commit can travel with what it depends on. Its error code is one
 * that PostgreSQL leaves to others (SQL standard, class SB).
 */
export class HeldRuns1763700062001 implements MigrationInterface {
  readonly name = 'HeldRuns1763700062001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function public.assert_held(rows bigint) returns bigint
      language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
      begin
        if rows = 0 then
          raise exception 'The lease of the run is lost.' using errcode = 'SB001';
        end if;
        return rows;
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function public.assert_held(bigint)`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Makes the index by id the youngest of its table. As long as PostgreSQL has not looked at a table, all indexes that a
 * statement could use cost the same to it, and it takes the youngest; one that begins with the organization leads
 * through all runs of that.
 */
export class RunIdIndex1763700065000 implements MigrationInterface {
  readonly name = 'RunIdIndex1763700065000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index public.workflow_runs_id_idx`);
    await runner.query(`create index workflow_runs_id_idx on public.workflow_runs (id)`);
  }

  // It is the same index.
  async down(): Promise<void> {}
}

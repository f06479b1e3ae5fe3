import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What runs tell of their past: which run they repeat, and how earlier attempts of their steps failed. Both tables are
 * locked for a moment, no row is rewritten; code that knows nothing of the columns goes on beside it.
 */
export class RunHistory1763700054100 implements MigrationInterface {
  readonly name = 'RunHistory1763700054100';

  async up(runner: QueryRunner): Promise<void> {
    // Without a foreign key: the run that is repeated may be purged before.
    await runner.query(`alter table public.workflow_runs add column replay_of text collate "C"`);
    await runner.query(`alter table public.run_steps add column failed_attempts json`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table public.run_steps drop column failed_attempts`);
    await runner.query(`alter table public.workflow_runs drop column replay_of`);
  }
}

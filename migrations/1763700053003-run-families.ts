import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The run from which a run follows, over however many others, so that all that follow from it can be counted.
 * `workflow_runs` is locked for a moment, no row is rewritten; the index holds later runs only. Runs from before, and
 * those of code that knows nothing of it, are not counted.
 */
export class RunFamilies1763700053003 implements MigrationInterface {
  readonly name = 'RunFamilies1763700053003';

  async up(runner: QueryRunner): Promise<void> {
    // No foreign key: the first run may be gone while others that follow from it go on.
    await runner.query(`alter table public.workflow_runs add column root_run_id text collate "C"`);
    await runner.query(`
      create index workflow_runs_root_idx on public.workflow_runs (organization_id, root_run_id)
        where root_run_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table public.workflow_runs drop column root_run_id`);
  }
}

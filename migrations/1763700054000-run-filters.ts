import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets every list of runs be read along an index. A migration is one transaction, where indexes cannot be made
 * concurrently: starts and steps of runs wait until all four are there, about two seconds for each million runs and
 * index. Code that knows only the old indexes goes on, more slowly in its lists.
 */
export class RunFilters1763700054000 implements MigrationInterface {
  readonly name = 'RunFilters1763700054000';

  async up(runner: QueryRunner): Promise<void> {
    // In the place of newest_idx: the newest of all are the newest of six states, and runs change so often that every
    // index of theirs costs.
    await runner.query(`
      create index workflow_runs_status_idx on public.workflow_runs (organization_id, status, created_at, id)`);
    await runner.query(`drop index public.workflow_runs_newest_idx`);
    await runner.query(`
      create index workflow_runs_workflow_idx
      on public.workflow_runs (organization_id, workflow_id, status, created_at, id)`);
    await runner.query(`drop index public.workflow_runs_contact_idx`);
    await runner.query(`
      create index workflow_runs_contact_idx on public.workflow_runs (organization_id, contact_id, created_at, id)
      where contact_id is not null`);
    // Runs that succeed without a pause are never in it.
    await runner.query(`
      create index workflow_runs_reason_idx on public.workflow_runs (organization_id, reason, created_at, id)
      where reason is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index public.workflow_runs_reason_idx`);
    await runner.query(`drop index public.workflow_runs_contact_idx`);
    await runner.query(`
      create index workflow_runs_contact_idx on public.workflow_runs (organization_id, contact_id)`);
    await runner.query(`drop index public.workflow_runs_workflow_idx`);
    await runner.query(`
      create index workflow_runs_newest_idx on public.workflow_runs (organization_id, created_at, id)`);
    await runner.query(`drop index public.workflow_runs_status_idx`);
  }
}

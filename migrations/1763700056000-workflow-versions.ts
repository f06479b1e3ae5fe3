import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A version says all of what was saved, by whom, and which tools it was made for. `workflow_versions` is locked for a
 * moment, no row is rewritten: of versions from before, the new columns are null, and of the newest of each workflow
 * they are filled in when the next one is saved.
 */
export class WorkflowVersions1763700056000 implements MigrationInterface {
  readonly name = 'WorkflowVersions1763700056000';

  async up(runner: QueryRunner): Promise<void> {
    // An actor is no foreign key: who is gone has saved it all the same.
    await runner.query(`
      alter table public.workflow_versions
        add column content json,
        add column actor_kind text,
        add column actor_id text collate "C",
        add column restored_from integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table public.workflow_versions
        drop column restored_from, drop column actor_id, drop column actor_kind, drop column content`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

const REDUNDANT = ['workflow_runs', 'run_steps'];

/**
 * A run refers to a version of a workflow of its organization, and a step to a run, so each of them is of an
 * organization that exists, and goes with it, without a reference of its own that every insert would check.
 */
export class RunReferences1763700064000 implements MigrationInterface {
  readonly name = 'RunReferences1763700064000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of REDUNDANT) {
      await runner.query(
        `alter table public.${table} drop constraint ${table}_organization_id_fkey`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of REDUNDANT) {
      await runner.query(`
        alter table public.${table} add constraint ${table}_organization_id_fkey
          foreign key (organization_id) references public.organizations (id) on delete cascade`);
    }
  }
}

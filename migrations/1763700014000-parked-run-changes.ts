import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A run that `gate.claim_runs` parks as `poison` never reaches a worker that could tell of it, so the database does.
 * All other changes are told by the process that makes them: a notification makes commits wait for each other.
 */
export class ParkedRunChanges1763700014000 implements MigrationInterface {
  readonly name = 'ParkedRunChanges1763700014000';

  async up(runner: QueryRunner): Promise<void> {
    // Channel and text are those of src/changes/change-feed.ts.
    await runner.query(`
      create function private.tell_of_run() returns trigger
      language plpgsql set search_path = pg_catalog, pg_temp as $$
      begin
        perform pg_notify('switchboard_changes',
          new.organization_id || ' resource switchboard://runs/' || new.id);
        return null;
      end $$`);
    await runner.query(`
      create trigger workflow_runs_parked after update of status on public.workflow_runs for each row
      when (new.status = 'failed' and new.reason = 'poison') execute function private.tell_of_run()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop trigger workflow_runs_parked on public.workflow_runs`);
    await runner.query(`drop function private.tell_of_run()`);
  }
}

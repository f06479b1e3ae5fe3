import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Bounds the JSON of the limits of a workflow, which claims and sweeps parse, and lets them parse it once for each
 * workflow instead of once for each key. Bounds the time that many keys of one workflow take.
 *
 * The service stores limits of at most 13 KiB. Deactivates workflows with larger limits and removes the options of their
 * triggers, because only SQL of a tool can have stored such limits. Locks the table while the check reads it.
 */
export class SmallLimits1764000113000 extends SqlMigration {
  readonly name = 'SmallLimits1764000113000';
  readonly files = [
    'functions/room_of_key.sql',
    'functions/pass_keys.sql',
    'functions/pass_rate.sql',
    'functions/sweep_run_limits.sql',
  ];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop function if exists private.room_of_key(text, text, json, text)');
    await super.up(runner);
    const condition = `octet_length((trigger_options -> 'limits')::text) <= 16384`;
    await runner.query(
      `with cleared as (
         update public.workflows set trigger_options = '{}', active = false where not (${condition})
         returning organization_id, id)
       delete from public.workflow_schedules s using cleared
       where s.organization_id = cleared.organization_id and s.workflow_id = cleared.id`,
    );
    await runner.query(
      `alter table public.workflows add constraint workflows_limits_size_check check (${condition})`,
    );
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query('alter table public.workflows drop constraint workflows_limits_size_check');
  }
}

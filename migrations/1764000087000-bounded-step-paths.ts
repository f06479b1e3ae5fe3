import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * The largest number of bytes in the path of a step. In the longest path of a definition, a step whose id has 64
 * characters is inside nine loops with ids of 64 characters. This path has less than 900 characters.
 */
const MOST_BYTES = 1024;

/**
 * Bounds the paths of steps, because SQL of a tool could store paths of 16 KiB that workers would need seconds to look
 * at. Deletes stored steps with longer paths: no step of a definition has such a path. Locks the table while the check
 * reads it.
 */
export class BoundedStepPaths1764000087000 extends SqlMigration {
  readonly name = 'BoundedStepPaths1764000087000';
  readonly files = [];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(`delete from public.run_steps where octet_length(step_id) > ${MOST_BYTES}`);
    await runner.query(
      `alter table public.run_steps add constraint run_steps_step_id_check
         check (octet_length(step_id) <= ${MOST_BYTES})`,
    );
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query('alter table public.run_steps drop constraint run_steps_step_id_check');
  }
}

import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Stores the size and the beginning of each large input and output. So the steps of a run can be listed without reading
 * the values. Locks run_steps while it fills these columns for existing steps.
 */
export class CutValues1764000022000 extends SqlMigration {
  readonly name = 'CutValues1764000022000';
  readonly files = ['functions/tenant_privileges.sql'];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table public.run_steps add column cut json');
    await super.up(runner);
    await runner.query(`update public.run_steps set cut = json_build_object(
        'input', case when length(input::text) > 8192
          then json_build_object('bytes', octet_length(input::text), 'preview', left(input::text, 1000)) end,
        'output', case when length(output::text) > 8192
          then json_build_object('bytes', octet_length(output::text), 'preview', left(output::text, 1000)) end)
      where length(input::text) > 8192 or length(output::text) > 8192`);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query('alter table public.run_steps drop column cut');
  }
}

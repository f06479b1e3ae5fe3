import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** Stores the timeout of a wait with the wait, so that a later event cannot end the wait. */
export class EndsOfWaits1764000098000 extends SqlMigration {
  readonly name = 'EndsOfWaits1764000098000';
  readonly files = ['functions/tenant_privileges.sql'];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table public.run_waits add column ends_at timestamptz');
    await super.up(runner);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query('alter table public.run_waits drop column ends_at');
  }
}

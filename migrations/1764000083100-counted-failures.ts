import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Counts the failed deliveries of an event. Earlier versions also counted claims that a worker gave back without a
 * failure.
 */
export class CountedFailures1764000083100 extends SqlMigration {
  readonly name = 'CountedFailures1764000083100';
  readonly files = ['functions/tenant_privileges.sql'];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table public.pending_events add column failures integer not null default 0',
    );
    await super.up(runner);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query('alter table public.pending_events drop column failures');
  }
}

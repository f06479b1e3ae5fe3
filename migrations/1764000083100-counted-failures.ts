import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** Counts how often the delivery of an event failed. Claims that were given back or paused do not count. */
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

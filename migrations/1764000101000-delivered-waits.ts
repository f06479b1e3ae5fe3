import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Lets workers wake runs whose wait was delivered while another transaction had locked the run. Earlier versions woke
 * such a run only at its timeout. The first sweep wakes the runs for which this has happened before.
 */
export class DeliveredWaits1764000101000 extends SqlMigration {
  readonly name = 'DeliveredWaits1764000101000';
  readonly files = [
    'functions/wake_runs.sql',
    'functions/find_due_work.sql',
    'functions/tenant_privileges.sql',
  ];
  readonly objects = ['index public.run_waits_delivered_idx'];

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table public.run_waits add column is_swept boolean not null default false',
    );
    await runner.query(
      `create index run_waits_delivered_idx on public.run_waits (organization_id, run_id, step_id)
       where state = 'delivered' and not is_swept`,
    );
    await super.up(runner);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query('alter table public.run_waits drop column is_swept');
  }
}

import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Stores with a run what its steps read of the request that started it, and what a step answered to the sender. Both
 * columns are null for other runs, so adding them writes no row.
 */
export class WebhookAnswers1764000036500 extends SqlMigration {
  readonly name = 'WebhookAnswers1764000036500';
  readonly files = ['functions/stored_bytes.sql', 'functions/tenant_privileges.sql'];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    // The type is json and not jsonb, which refuses U+0000 in the fields of a query.
    await runner.query(
      'alter table public.workflow_runs add column request json, add column answer json',
    );
    await super.up(runner);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query('alter table public.workflow_runs drop column request, drop column answer');
  }
}

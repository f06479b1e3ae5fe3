import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Stores, for each run, the parts of the webhook request that steps read, and the answer that a step gave to the
 * sender. Both columns are null in existing rows, so adding them rewrites no row.
 */
export class WebhookAnswers1764000036500 extends SqlMigration {
  readonly name = 'WebhookAnswers1764000036500';
  readonly files = ['functions/stored_bytes.sql', 'functions/tenant_privileges.sql'];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    // The type is json, because jsonb refuses U+0000, which the fields of a query can contain.
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

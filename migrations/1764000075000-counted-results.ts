import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

const TABLES = ['idempotency_keys', 'template_versions'];

/**
 * Counts the results of calls with an idempotency key as stored bytes. An organization that has reached its quota of
 * stored bytes can store no more such results, and no more versions of templates.
 */
export class CountedResults1764000075000 extends SqlMigration {
  readonly name = 'CountedResults1764000075000';
  readonly files = ['functions/stored_bytes.sql', 'functions/measure_quotas.sql'];
  readonly objects = TABLES.map((table) => `trigger quota_refusal on public.${table}`);

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    for (const table of TABLES) {
      await runner.query(`create trigger quota_refusal after insert on public.${table}
        referencing new table as inserted
        for each statement execute function private.refuse_insert('stored_bytes')`);
    }
  }
}

import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

const TABLES = ['import_faults', 'import_keys'];

/**
 * Counts all rejected rows and identifiers of imports as stored bytes, and refuses new ones when the organization has
 * reached its quota. Before, one upload could store more than a hundred times its size.
 */
export class CountedRejectedRows1764000118000 extends SqlMigration {
  readonly name = 'CountedRejectedRows1764000118000';
  readonly files = ['functions/stored_bytes.sql'];
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

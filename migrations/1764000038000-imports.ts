import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** Stores uploaded files with contacts, and lets workers import these contacts. */
export class Imports1764000038000 extends SqlMigration {
  readonly name = 'Imports1764000038000';
  readonly files = [
    'tables/imports.sql',
    'tables/import_chunks.sql',
    'tables/import_keys.sql',
    'tables/import_faults.sql',
    'functions/claim_imports.sql',
    'functions/renew_imports.sql',
    'functions/release_imports.sql',
    'functions/purge_imports.sql',
    'functions/tenant_privileges.sql',
    'functions/stored_bytes.sql',
  ];
  readonly objects = [
    'function gate.purge_imports',
    'function gate.release_imports',
    'function gate.renew_imports',
    'function gate.claim_imports',
    'table public.import_faults',
    'table public.import_keys',
    'table public.import_chunks',
    'table public.imports',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    for (const table of ['imports', 'import_chunks']) {
      await runner.query(`create trigger quota_refusal after insert on public.${table}
        referencing new table as inserted
        for each statement execute function private.refuse_insert('stored_bytes')`);
    }
  }
}

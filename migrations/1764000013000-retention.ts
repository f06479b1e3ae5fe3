import { SqlMigration } from './sql-migration.js';

/** Creates the retention rules of organizations, and the functions that purge older data. */
export class Retention1764000013000 extends SqlMigration {
  readonly name = 'Retention1764000013000';
  readonly files = [
    'tables/retention_rules.sql',
    'functions/claim_purge.sql',
    'functions/purge.sql',
    'functions/finish_purge.sql',
  ];
  readonly objects = [
    'function gate.finish_purge',
    'function gate.purge',
    'function gate.claim_purge',
    'table public.retention_rules',
  ];
}

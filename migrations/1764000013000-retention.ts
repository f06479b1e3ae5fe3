import { SqlMigration } from './sql-migration.js';

/** How long organizations keep their data, and the purge of what is older. */
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

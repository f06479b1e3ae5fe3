import { SqlMigration } from './sql-migration.js';

/**
 * Lets a claim of runs or messages continue with later organizations when it can claim nothing of the first ones, and
 * bounds how many messages that are being sent a claim reads.
 */
export class FairerClaims1764000123000 extends SqlMigration {
  readonly name = 'FairerClaims1764000123000';
  readonly files = ['functions/choose_runs.sql', 'functions/choose_messages.sql'];
  readonly objects = [];
}

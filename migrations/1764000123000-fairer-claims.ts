import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Lets a claim of runs or messages continue with later organizations when it can claim nothing of the first ones, and
 * bounds how many messages that are being sent a claim reads. Lets a worker say how many ticks each organization may
 * get, and gives released ticks a pause.
 */
export class FairerClaims1764000123000 extends SqlMigration {
  readonly name = 'FairerClaims1764000123000';
  readonly files = [
    'functions/choose_runs.sql',
    'functions/choose_messages.sql',
    'functions/claim_schedules.sql',
    'functions/release_schedules.sql',
  ];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    // Processes of an earlier version call the new function with the default of its last argument.
    await runner.query('drop function if exists gate.claim_schedules(integer, text, integer)');
    await super.up(runner);
  }
}

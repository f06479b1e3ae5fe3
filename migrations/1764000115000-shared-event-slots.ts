import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** Lets a worker say how many events each organization may get, so that no organization occupies all its slots. */
export class SharedEventSlots1764000115000 extends SqlMigration {
  readonly name = 'SharedEventSlots1764000115000';
  readonly files = ['functions/claim_events.sql'];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    // Processes of an earlier version call the new function with the default of its last argument.
    await runner.query('drop function if exists gate.claim_events(integer, text, integer)');
    await super.up(runner);
  }
}

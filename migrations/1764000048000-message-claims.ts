import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** Claims of messages no longer say whether the organization has rules for sending: each attempt reads it when it begins. */
export class MessageClaims1764000048000 extends SqlMigration {
  readonly name = 'MessageClaims1764000048000';
  readonly files = ['functions/claim_messages.sql'];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    // A function whose result changes cannot be replaced.
    await runner.query('drop function gate.claim_messages');
    await super.up(runner);
  }
}

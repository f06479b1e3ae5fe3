import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Lets a session create and revoke keys and change the password only while it is open, in the same transaction. The new
 * arguments have defaults, so processes of the previous version still work. Changes no data.
 */
export class LockedSessions1764000089000 extends SqlMigration {
  readonly name = 'LockedSessions1764000089000';
  readonly files = [
    'functions/lock_session.sql',
    'functions/create_api_key.sql',
    'functions/revoke_api_key.sql',
    'functions/change_password.sql',
  ];
  readonly objects = ['function private.lock_session'];

  override async up(runner: QueryRunner): Promise<void> {
    // `create or replace` cannot change the arguments of a function.
    await runner.query('drop function gate.create_api_key, gate.revoke_api_key');
    await super.up(runner);
  }
}

import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** Lets the look-up of a signed-in person return the tool policies of the organization. */
export class AccountPolicies1764000041500 extends SqlMigration {
  readonly name = 'AccountPolicies1764000041500';
  readonly files = ['functions/find_account.sql'];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    // `create or replace` cannot change the result of a function, so the old function is dropped.
    await runner.query('drop function gate.find_account');
    await super.up(runner);
  }
}

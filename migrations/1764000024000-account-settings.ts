import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Lets people see and end their sessions, change their password, and have a name. Waits for open transactions that read
 * or write `gate.users`, or write `gate.sessions`.
 */
export class AccountSettings1764000024000 extends SqlMigration {
  readonly name = 'AccountSettings1764000024000';
  readonly files = [
    'functions/find_account.sql',
    'functions/find_sessions.sql',
    'functions/end_sessions.sql',
    'functions/change_password.sql',
    'functions/change_name.sql',
  ];
  readonly objects = [
    'function gate.change_name',
    'function gate.change_password',
    'function gate.end_sessions',
    'function gate.find_sessions',
    'index gate.sessions_user_id_idx',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table gate.users add column name text');
    await runner.query(
      `create index sessions_user_id_idx on gate.sessions ((sess #>> '{passport,user,userId}'))`,
    );
    // `create or replace` cannot change the result of a function, so the old function is dropped.
    await runner.query('drop function gate.find_account');
    await super.up(runner);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query('alter table gate.users drop column name');
  }
}

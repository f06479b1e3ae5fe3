import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Lets people verify their addresses. A verified address raises the quota of messages that was set at the sign-up.
 * Quotas that exist before this migration count as set by an operator. Entries of keys and sign-ups in the audit log
 * say where the request came from.
 */
export class VerifiedAddresses1764000025000 extends SqlMigration {
  readonly name = 'VerifiedAddresses1764000025000';
  readonly files = [
    'tables/address_verifications.sql',
    'functions/add_address_verification.sql',
    'functions/find_address_verification.sql',
    'functions/verify_address.sql',
    'functions/create_account.sql',
    'functions/create_first_account.sql',
    'functions/create_api_key.sql',
    'functions/revoke_api_key.sql',
  ];
  readonly objects = [
    'function gate.verify_address',
    'function gate.find_address_verification',
    'function gate.add_address_verification',
    'table gate.address_verifications',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table gate.users add column verified_email text');
    await runner.query(`alter table private.quota_exceptions
      add column set_by text not null default 'operator',
      add constraint quota_exceptions_set_by_check check (set_by in ('sign_up', 'verified_address', 'operator'))`);
    // `create or replace` cannot change the arguments of a function, so the old function is dropped.
    await runner.query('drop function gate.create_account, gate.create_first_account');
    await runner.query('drop function gate.create_api_key, gate.revoke_api_key');
    await super.up(runner);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query('alter table private.quota_exceptions drop column set_by');
    await runner.query('alter table gate.users drop column verified_email');
  }
}

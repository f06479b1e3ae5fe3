import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** Logs the consent of new contacts once for each statement, and locks their addresses with less work. */
export class ContactsInBulk1764000051000 extends SqlMigration {
  readonly name = 'ContactsInBulk1764000051000';
  readonly files = [
    'functions/log_new_consents.sql',
    'functions/claim_contact_addresses.sql',
    'functions/tenant_privileges.sql',
    'functions/stored_bytes.sql',
  ];
  readonly objects = [
    'trigger log_new_consents on public.contacts',
    'function private.log_new_consents',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query('drop trigger log_new_consent on public.contacts');
    await runner.query(`create trigger log_new_consents after insert on public.contacts
      referencing new table as written for each statement execute function private.log_new_consents()`);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query(`create trigger log_new_consent after insert on public.contacts
      for each row when (new.consent <> '{}') execute function private.log_consent()`);
  }
}

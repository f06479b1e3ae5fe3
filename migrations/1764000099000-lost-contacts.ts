import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Notes for each run whether its contact was deleted. Otherwise a later wait of the run would end with an event about
 * any contact, as the wait of a run that never had a contact.
 */
export class LostContacts1764000099000 extends SqlMigration {
  readonly name = 'LostContacts1764000099000';
  readonly files = ['functions/note_lost_contact.sql', 'functions/tenant_privileges.sql'];
  readonly objects = [
    'trigger note_lost_contact on public.workflow_runs',
    'function private.note_lost_contact',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table public.workflow_runs add column lost_contact boolean not null default false',
    );
    await super.up(runner);
    await runner.query(`create trigger note_lost_contact before update of contact_id on public.workflow_runs
      for each row when (old.contact_id is not null and new.contact_id is null)
      execute function private.note_lost_contact()`);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query('alter table public.workflow_runs drop column lost_contact');
  }
}

import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** Stores the sender domains of organizations with their DKIM keys, and the files of messages. */
export class SenderDomains1764000047000 extends SqlMigration {
  readonly name = 'SenderDomains1764000047000';
  readonly files = [
    'tables/sender_domains.sql',
    'tables/sender_keys.sql',
    'tables/message_files.sql',
    'functions/record_sender_check.sql',
    'functions/claim_sender_domains.sql',
    'functions/link_message_files.sql',
    'functions/purge_uploads.sql',
    'functions/tenant_privileges.sql',
  ];
  readonly objects = [
    'trigger link_message_files on public.messages',
    'function gate.purge_uploads',
    'function private.link_message_files',
    'function gate.claim_sender_domains',
    'function gate.record_sender_check',
    'table public.message_files',
    'table public.sender_keys',
    'table public.sender_domains',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(`create trigger link_message_files after insert on public.messages
      for each row when (new.envelope is not null) execute function private.link_message_files()`);
  }
}

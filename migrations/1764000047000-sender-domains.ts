import { SqlMigration } from './sql-migration.js';

/** Stores the domains from whose addresses organizations send e-mails, with their DKIM keys. */
export class SenderDomains1764000047000 extends SqlMigration {
  readonly name = 'SenderDomains1764000047000';
  readonly files = [
    'tables/sender_domains.sql',
    'tables/sender_keys.sql',
    'functions/record_sender_check.sql',
    'functions/claim_sender_domains.sql',
    'functions/tenant_privileges.sql',
  ];
  readonly objects = [
    'function gate.claim_sender_domains',
    'function gate.record_sender_check',
    'table public.sender_keys',
    'table public.sender_domains',
  ];
}

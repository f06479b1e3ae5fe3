import { SqlMigration } from './sql-migration.js';

/** Creates messages, and the leases under which workers deliver them. */
export class Messages1764000005000 extends SqlMigration {
  readonly name = 'Messages1764000005000';
  readonly files = [
    'tables/messages.sql',
    'functions/choose_messages.sql',
    'functions/claim_messages.sql',
    'functions/renew_messages.sql',
    'functions/release_messages.sql',
  ];
  readonly objects = [
    'function gate.release_messages',
    'function gate.renew_messages',
    'function gate.claim_messages',
    'function private.choose_messages',
    'table public.messages',
  ];
}

import { SqlMigration } from './sql-migration.js';

/** Creates organizations, the people in them, their sessions, and the audit log. */
export class Accounts1764000002000 extends SqlMigration {
  readonly name = 'Accounts1764000002000';
  readonly files = [
    'tables/organizations.sql',
    'tables/users.sql',
    'tables/memberships.sql',
    'tables/sessions.sql',
    'tables/audit_log.sql',
    'functions/create_account.sql',
    'functions/find_account.sql',
    'functions/has_accounts.sql',
  ];
  readonly objects = [
    'function gate.has_accounts',
    'function gate.find_account',
    'function gate.create_account',
    'table public.audit_log',
    'table gate.sessions',
    'table public.memberships',
    'table gate.users',
    'table public.organizations',
  ];
}

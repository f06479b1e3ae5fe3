import { SqlMigration } from './sql-migration.js';

/** Stores topics, the decisions of contacts about topics, and the log of all consent. */
export class Topics1764000043000 extends SqlMigration {
  readonly name = 'Topics1764000043000';
  readonly files = [
    'functions/log_consent.sql',
    'functions/log_subscription.sql',
    'functions/move_permission.sql',
    'functions/return_permission.sql',
    'tables/topics.sql',
    'tables/topic_subscriptions.sql',
    'tables/consent_changes.sql',
    'functions/tenant_privileges.sql',
    'functions/stored_bytes.sql',
  ];
  readonly objects = [
    'trigger return_permission on public.contact_merges',
    'trigger move_permission on public.contact_merges',
    'trigger log_changed_consent on public.contacts',
    'trigger log_new_consent on public.contacts',
    'table public.consent_changes',
    'table public.topic_subscriptions',
    'table public.topics',
    'function private.return_permission',
    'function private.move_permission',
    'function private.log_subscription',
    'function private.log_consent',
  ];
}

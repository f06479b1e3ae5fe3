import { SqlMigration } from './sql-migration.js';

/** Stores when organizations send messages: quiet hours, caps and digests. */
export class SendingRules1764000045000 extends SqlMigration {
  readonly name = 'SendingRules1764000045000';
  readonly files = [
    'tables/sending_rules.sql',
    'tables/message_digests.sql',
    'functions/lacks_message_quota.sql',
    'functions/quiet_until.sql',
    'functions/check_pace.sql',
    'functions/pace_message.sql',
    'functions/tenant_privileges.sql',
  ];
  readonly objects = [
    'function public.pace_message',
    'function public.check_pace',
    'function public.quiet_until',
    'function public.lacks_message_quota',
    'table public.message_digests',
    'table public.sending_rules',
  ];
}

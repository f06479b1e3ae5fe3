import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Refuses decisions about consent and topics while the quota of stored bytes is used up, except withdrawals, and counts
 * all rows of such decisions. Also limits how many workflows of one organization `sweep_run_limits` checks. Otherwise
 * all its checks could be for one organization, and the delayed runs of others would wait.
 */
export class CountedConsent1764000078100 extends SqlMigration {
  readonly name = 'CountedConsent1764000078100';
  readonly files = [
    'functions/has_used_bytes.sql',
    'functions/limit_subscription.sql',
    'functions/log_consent.sql',
    'functions/stored_bytes.sql',
    'functions/sweep_run_limits.sql',
  ];
  readonly objects = [
    'trigger limit_subscription on public.topic_subscriptions',
    'function private.limit_subscription()',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(
      `create trigger limit_subscription before insert or update on public.topic_subscriptions
       for each row execute function private.limit_subscription()`,
    );
  }
}

import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** The columns that are bounded, by table. A text in them has at most 1 KiB. */
const TEXTS = {
  consent_changes: ['name', 'from_state', 'to_state', 'source'],
  topic_subscriptions: ['topic', 'source', 'confirmation_id', 'confirmation_address'],
};
const MOST_BYTES = 1024;
/** The length of a shortened text. In UTF-8, 256 characters have at most 1 KiB. */
const MOST_CHARACTERS = 256;

/**
 * Bounds and counts the texts of decisions about consent and topics, because SQL of a tool could log 1 MB with each
 * change. Shortens longer texts of earlier rows. Accepts repeated decisions while the quota of stored bytes is used up.
 * Locks the tables while the checks read them.
 */
export class BoundedConsent1764000083000 extends SqlMigration {
  readonly name = 'BoundedConsent1764000083000';
  readonly files = [
    'functions/limit_subscription.sql',
    'functions/log_consent.sql',
    'functions/log_new_consents.sql',
    'functions/stored_bytes.sql',
  ];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    // Two topics of a contact could become equal if they were shortened. Only SQL of a tool can store such topics.
    await runner.query(
      `delete from public.topic_subscriptions where octet_length(topic) > ${MOST_BYTES}`,
    );
    for (const [table, columns] of Object.entries(TEXTS)) {
      const condition = columns
        .map((name) => `octet_length(${name}) <= ${MOST_BYTES}`)
        .join(' and ');
      const repairs = columns.map((name) => `${name} = left(${name}, ${MOST_CHARACTERS})`);
      await runner.query(
        `update public.${table} set ${repairs.join(', ')} where not (${condition})`,
      );
      await runner.query(
        `alter table public.${table} add constraint ${table}_size_check check (${condition})`,
      );
    }
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    for (const table of Object.keys(TEXTS)) {
      await runner.query(`alter table public.${table} drop constraint ${table}_size_check`);
    }
  }
}

import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Adds the function that creates the first account, and only one account if several people sign up simultaneously. The
 * delivery log separates deliveries of senders who have the secret from those of strangers. Refused deliveries that are
 * already in the log count as deliveries of strangers.
 */
export class Surface1764000017000 extends SqlMigration {
  readonly name = 'Surface1764000017000';
  readonly files = ['functions/create_first_account.sql'];
  readonly objects = ['function gate.create_first_account'];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(
      'alter table public.webhook_deliveries add column verified boolean not null default false',
    );
    await runner.query(
      `update public.webhook_deliveries set verified = true where kind <> 'refused'`,
    );
  }

  override async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table public.webhook_deliveries drop column verified');
    await super.down(runner);
  }
}

import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Stores, for each subscription with double opt-in, the address to which the e-mail with the link was sent. Existing
 * subscriptions get the address of this e-mail if it still exists. A pending subscription without an address needs
 * another e-mail.
 */
export class ConfirmedAddresses1764000079000 extends SqlMigration {
  readonly name = 'ConfirmedAddresses1764000079000';
  readonly files = [
    'functions/move_permission.sql',
    'functions/return_permission.sql',
    'functions/tenant_privileges.sql',
  ];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table public.topic_subscriptions add column confirmation_address text collate "C"',
    );
    await runner.query(
      `update public.topic_subscriptions s set confirmation_address = m.recipient from public.messages m
       where m.organization_id = s.organization_id and m.id = s.confirmation_id`,
    );
    await super.up(runner);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query('alter table public.topic_subscriptions drop column confirmation_address');
  }
}

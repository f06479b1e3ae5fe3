import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Lets only the service add sender domains, each with its own token. Records the result of a look-up only for the
 * domain and the token that were looked up.
 *
 * Where several rows have the same token, SQL of a tool has copied it. The oldest row keeps the token, because SQL of a
 * tool cannot choose `created_at`. The other rows get a new token and are no longer verified. Then the records of all
 * verified domains are looked up again at once, because an earlier look-up may have been for another token.
 */
export class SenderTokens1764000080000 extends SqlMigration {
  readonly name = 'SenderTokens1764000080000';
  readonly files = [
    'functions/add_sender_domain.sql',
    'functions/record_sender_check.sql',
    'functions/tenant_privileges.sql',
  ];
  readonly objects = ['function public.add_sender_domain'];

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop function gate.record_sender_check');
    await super.up(runner);
    await runner.query(
      `update public.sender_domains d set
         token = replace(gen_random_uuid()::text, '-', ''),
         verified_at = null, missing_since = null, checked_at = null, result = null, next_check_at = null
       where exists (
         select from public.sender_domains o
         where o.token = d.token and (o.created_at, o.organization_id, o.id) < (d.created_at, d.organization_id, d.id)
       )`,
    );
    await runner.query(
      'update public.sender_domains set next_check_at = now() where verified_at is not null',
    );
  }
}

import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

const BYTES = 131_072;

/**
 * Limits the keys that one contact has in the indexes for searches. Before, SQL of a tool could store a contact with
 * millions of keys and fail. The next statement that changed any contact then spent up to 10 s on these keys.
 *
 * The service stores much fewer. Deletes contacts with more, which only SQL of a tool can have stored.
 */
export class FewSearchKeys1764000120000 extends SqlMigration {
  readonly name = 'FewSearchKeys1764000120000';
  readonly files = ['functions/contact_filter_keys.sql'];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `delete from public.contacts where octet_length(search_text) > ${BYTES}
         or cardinality(private.contact_filter_keys(organization_id, tags, properties)) > 10000`,
    );
    await super.up(runner);
    await runner.query(
      `alter table public.contacts add constraint contacts_search_text_check check (octet_length(search_text) <= ${BYTES})`,
    );
  }

  override async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table public.contacts drop constraint contacts_search_text_check');
  }
}

import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/** The conditions of the rows, by table. A text that is null satisfies its condition. */
const CONDITIONS = {
  // `record_message` stores a subject of up to 2,000 characters and a body of up to 262,144 characters. An emoji counts
  // as one character and has up to 7 bytes.
  messages: `octet_length(subject) <= ${16 * KIB} and octet_length(body) <= ${2 * MIB}
    and octet_length(html) <= ${2 * MIB}`,
  // The texts of a digest are arguments of one call, so they cannot be longer than all arguments of a call.
  message_digests: `octet_length(subject) <= ${2 * MIB} and octet_length(body) <= ${2 * MIB}
    and octet_length(html) <= ${2 * MIB}`,
};

/**
 * Bounds the texts of messages, because SQL of a tool could store texts of 1 GB, and each reader of a message reads
 * them. The texts that the service stores are within the limits. Deletes stored rows with longer texts. Locks the
 * tables while the checks read them.
 */
export class BoundedMessages1764000085000 extends SqlMigration {
  readonly name = 'BoundedMessages1764000085000';
  readonly files = [];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    for (const [table, condition] of Object.entries(CONDITIONS)) {
      await runner.query(`delete from public.${table} where not (${condition})`);
      await runner.query(
        `alter table public.${table} add constraint ${table}_content_check check (${condition})`,
      );
    }
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    for (const table of Object.keys(CONDITIONS)) {
      await runner.query(`alter table public.${table} drop constraint ${table}_content_check`);
    }
  }
}

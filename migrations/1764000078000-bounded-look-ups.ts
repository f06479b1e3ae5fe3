import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * The largest number of rows of an organization, by table. `tool-policy-settings.service.ts` and
 * `offered-workflows.service.ts` have the same numbers.
 */
const LIMITS = { tool_policies: 500, offered_workflows: 20 };

/** The condition is false for values that the service never stores. */
const CHECK = {
  name: 'offered_workflows_size_check',
  condition: `char_length(title) <= 100 and char_length(description) <= 1000 and char_length(revision) <= 64
    and octet_length(input_schema::text) <= 16384 and octet_length(result::text) <= 16384`,
};

/**
 * Bounds how many rows a look-up of an API key, a session or a person reads, even if SQL of a tool inserts such rows.
 * Deletes stored rows above these limits: offered workflows that are too large, and the newest rows of an organization
 * that has too many.
 */
export class BoundedLookUps1764000078000 extends SqlMigration {
  readonly name = 'BoundedLookUps1764000078000';
  readonly files = ['functions/limit_rows.sql'];
  readonly objects = [
    ...Object.keys(LIMITS).map((table) => `trigger row_limit on public.${table}`),
    'function private.limit_rows()',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(
      `delete from public.offered_workflows where not coalesce(${CHECK.condition}, true)`,
    );
    await runner.query(
      `alter table public.offered_workflows add constraint ${CHECK.name} check (${CHECK.condition})`,
    );
    for (const [table, most] of Object.entries(LIMITS)) {
      await runner.query(
        `delete from public.${table} where ctid = any(array(
           select row from (
             select ctid as row, row_number() over (partition by organization_id order by updated_at) as number
             from public.${table}
           ) numbered where number > ${most}
         ))`,
      );
      await runner.query(
        `create trigger row_limit after insert on public.${table} referencing new table as inserted
         for each statement execute function private.limit_rows('${most}')`,
      );
    }
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await runner.query(`alter table public.offered_workflows drop constraint ${CHECK.name}`);
  }
}

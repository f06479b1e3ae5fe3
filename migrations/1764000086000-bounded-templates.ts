import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

const KIB = 1024;
const MIB = 1024 * KIB;
/** Twice the number of variables that the service stores. */
const MOST_VARIABLES = 100;

interface Check {
  readonly table: string;
  readonly name: string;
  readonly condition: string;
  /** A statement that repairs or deletes the rows that the query `broken` has found. */
  readonly repair: string;
}

const CHECKS: readonly Check[] = [
  {
    table: 'workflows',
    name: 'workflows_schedule_check',
    // The service stores cron expressions of at most 200 characters.
    condition: `length(trigger_options ->> 'cron') <= 256 and length(trigger_options ->> 'timezone') <= 256`,
    repair: `with cleared as (
        update public.workflows stored set trigger_options = '{}', active = false from broken
        where stored.ctid = broken.row returning stored.organization_id, stored.id)
      delete from public.workflow_schedules s using cleared
      where s.organization_id = cleared.organization_id and s.workflow_id = cleared.id`,
  },
  {
    table: 'templates',
    name: 'templates_texts_check',
    condition: texts(['id', 'name', 'description', 'version_id']),
    repair: deleteFrom('templates'),
  },
  {
    table: 'templates',
    name: 'templates_draft_check',
    // The service stores drafts of at most 1 MiB.
    condition: `octet_length(draft::text) <= ${2 * MIB} and ${fewVariables('draft')}`,
    repair: `update public.templates stored set draft = '{"variables":[],"variants":{}}'
      from broken where stored.ctid = broken.row`,
  },
  {
    table: 'template_versions',
    name: 'template_versions_texts_check',
    condition: texts(['template_id', 'id', 'actor_kind', 'actor_id']),
    repair: deleteFrom('template_versions'),
  },
  {
    table: 'template_versions',
    name: 'template_versions_content_check',
    // The service stores variables of at most 1 MiB, and compiled variants of at most 2 MiB in UTF-16.
    condition: `octet_length(content::text) <= ${2 * MIB} and octet_length(compiled::text) <= ${8 * MIB}
      and octet_length(warnings::text) <= ${MIB} and octet_length((compiled -> 'variables')::text) <= ${2 * MIB}
      and ${fewVariables('content')} and ${fewVariables('compiled')}`,
    repair: deleteFrom('template_versions'),
  },
  {
    table: 'template_snippets',
    name: 'template_snippets_texts_check',
    // The service stores snippets of at most 65,536 characters.
    condition: `octet_length(content) <= ${256 * KIB} and ${texts(['id', 'name'])}`,
    repair: deleteFrom('template_snippets'),
  },
];

/**
 * Bounds the cron expressions of schedules, and the content of templates, because parsing a value that SQL of a tool
 * has stored could take seconds. The limits are above those of the service. Deactivates workflows with a longer cron
 * expression, empties larger drafts, and deletes larger versions and snippets. Locks the tables while the checks read
 * them.
 */
export class BoundedTemplates1764000086000 extends SqlMigration {
  readonly name = 'BoundedTemplates1764000086000';
  readonly files = [];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    for (const check of CHECKS) await addCheck(runner, check);
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    for (const { table, name } of CHECKS) {
      await runner.query(`alter table public.${table} drop constraint ${name}`);
    }
  }
}

/** Repairs the rows that violate the check, also those whose JSON the check cannot read. Then adds the check. */
async function addCheck(
  runner: QueryRunner,
  { table, name, condition, repair }: Check,
): Promise<void> {
  await runner.query(
    `create function pg_temp.satisfies(given public.${table}) returns boolean language plpgsql as $$
     begin
       return coalesce((select ${condition} from (select given.*) own), true);
     exception when others then
       return false;
     end $$`,
  );
  await runner.query(
    `with broken as materialized (
       select stored.ctid as row from public.${table} stored where not pg_temp.satisfies(stored)
     ) ${repair.replace(/^with /, ', ')}`,
  );
  await runner.query(`drop function pg_temp.satisfies(public.${table})`);
  await runner.query(`alter table public.${table} add constraint ${name} check (${condition})`);
}

function deleteFrom(table: string): string {
  return `delete from public.${table} stored using broken where stored.ctid = broken.row`;
}

/** Returns the condition that a value has few variables. It fails for a value whose variables are not a list. */
function fewVariables(column: string): string {
  return `json_array_length(${column} -> 'variables') <= ${MOST_VARIABLES}`;
}

function texts(columns: readonly string[]): string {
  const bytes = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
  return `${bytes} <= ${64 * KIB}`;
}

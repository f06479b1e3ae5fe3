import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** Lists the tables in which workers and webhooks find a row by its id alone. */
const TABLES = ['workflow_runs', 'workflows', 'pending_events', 'imports', 'messages'] as const;

/** Lists the indexes that the unique indexes replace. */
const REPLACED = {
  workflow_runs_id_idx: 'workflow_runs (id)',
  workflows_id_idx: 'workflows (id)',
  pending_events_id_idx: 'pending_events (id)',
  messages_unfinished_id_idx:
    "messages (id) where status in ('scheduled', 'queued', 'held', 'sending')",
};

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Prevents effects on other organizations of rows that SQL of a tool has stored. No organization can store a row with an
 * id that a row of another organization has. The functions that serve all organizations do not fail because of a value
 * in such a row. Locks the tables with new indexes while these indexes are built.
 *
 * Where several organizations have rows with the same id, all of these rows except the oldest get a new id first.
 * Foreign keys that refer to them change too. Workflows that get a new id become inactive, because their secrets are
 * bound to the old id. The oldest of these workflows keeps the id, but becomes inactive too: SQL of a tool can forge
 * the age of a workflow to get deliveries for another organization.
 */
export class RowsOfHostileSql1764000074000 extends SqlMigration {
  readonly name = 'RowsOfHostileSql1764000074000';
  readonly files = [
    'functions/lease_runs.sql',
    'functions/requeue_due_runs.sql',
    'functions/cancel_children.sql',
    'functions/admit_runs_of_workflow.sql',
    'functions/sweep_run_limits.sql',
    'functions/notify_run_change.sql',
    'functions/claim_events.sql',
    'functions/claim_messages.sql',
    'functions/claim_imports.sql',
    'functions/release_imports.sql',
    'functions/claim_schedules.sql',
    'functions/claim_purge.sql',
    'functions/stored_bytes.sql',
  ];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    for (const index of Object.keys(REPLACED)) await runner.query(`drop index public.${index}`);
    for (const table of TABLES) {
      await renameDuplicates(runner, table);
      await runner.query(`create unique index ${table}_id_key on public.${table} (id)`);
    }
  }

  override async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`drop index public.${table}_id_key`);
    for (const [index, columns] of Object.entries(REPLACED)) {
      await runner.query(`create index ${index} on public.${columns}`);
    }
    await super.down(runner);
  }
}

async function renameDuplicates(
  runner: QueryRunner,
  table: (typeof TABLES)[number],
): Promise<void> {
  const storedAt = table === 'pending_events' ? 'happened_at' : 'created_at';
  // A row counts as no older than its organization, because SQL of a tool can store an earlier time.
  await runner.query(
    `create temporary table duplicates on commit drop as
     select organization_id, id,
       left(id, greatest(0, length(id) - 22)) || left(replace(gen_random_uuid()::text, '-', ''), 22) as new_id
     from (
       select r.organization_id, r.id, row_number() over (
         partition by r.id order by greatest(r.${storedAt}, o.created_at), o.created_at, o.id) as number
       from public.${table} r join public.organizations o on o.id = r.organization_id
       where r.id in (select id from public.${table} group by id having count(*) > 1)
     ) numbered
     where number > 1`,
  );
  const [{ count }] = (await runner.query('select count(*)::integer from duplicates')) as [
    { count: number },
  ];
  if (count > 0) {
    if (table === 'workflows') {
      await runner.query(
        'update public.workflows set active = false where id in (select id from duplicates)',
      );
    }
    const keys = await findForeignKeys(runner, table);
    for (const key of keys) await replaceForeignKey(runner, key, ' on update cascade');
    await runner.query(
      `update public.${table} r set id = d.new_id
       from duplicates d where r.organization_id = d.organization_id and r.id = d.id`,
    );
    for (const key of keys) await replaceForeignKey(runner, key, '');
  }
  await runner.query('drop table duplicates');
}

/** Returns the foreign keys that refer to the table, and those that refer to versions of workflows. */
async function findForeignKeys(runner: QueryRunner, table: string): Promise<ForeignKey[]> {
  return (await runner.query(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint
     where contype = 'f' and confrelid in ($1::regclass, 'public.workflow_versions'::regclass)`,
    [`public.${table}`],
  )) as ForeignKey[];
}

/** Replaces the action of a foreign key. PostgreSQL then checks all rows of the table again. */
async function replaceForeignKey(
  runner: QueryRunner,
  { table, name, definition }: ForeignKey,
  action: string,
): Promise<void> {
  await runner.query(
    `alter table ${table} drop constraint ${name}, add constraint ${name} ${definition}${action}`,
  );
}

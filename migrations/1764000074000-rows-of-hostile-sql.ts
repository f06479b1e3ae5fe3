import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** Lists the tables whose rows workers and webhooks find by id alone. */
const TABLES = ['workflow_runs', 'workflows', 'pending_events', 'imports', 'messages'] as const;

/** Lists the indexes that the unique indexes replace. */
const REPLACED = {
  workflow_runs_id_idx: 'workflow_runs (id)',
  workflows_id_idx: 'workflows (id)',
  pending_events_id_idx: 'pending_events (id)',
  messages_unfinished_id_idx:
    "messages (id) where status in ('scheduled', 'queued', 'held', 'sending')",
};

/**
 * Keeps rows that SQL of a tool has stored from affecting the work of other organizations. No organization can store a
 * row with the id of a row of another one. The functions that serve all organizations do not fail because of a value in
 * such a row. Locks these tables while the indexes are built.
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

import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Bounds how many locked rows of an organization a claim skips, lets organizations take turns with their delivered waits,
 * and bounds how many waits the end of a run reads.
 */
export class BoundedSkips1764000114000 extends SqlMigration {
  readonly name = 'BoundedSkips1764000114000';
  readonly files = [
    'functions/choose_runs.sql',
    'functions/choose_messages.sql',
    'functions/wake_runs.sql',
    'functions/pass_debounce.sql',
    'functions/pass_keys.sql',
    'functions/pass_rate.sql',
    'functions/pass_slots.sql',
    'functions/admit_runs_of_workflow.sql',
  ];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await replaceChildIndex(runner, 'child_run_id, state');
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    await replaceChildIndex(runner, 'child_run_id');
  }
}

async function replaceChildIndex(runner: QueryRunner, columns: string): Promise<void> {
  await runner.query('drop index public.run_waits_child_idx');
  await runner.query(
    `create index run_waits_child_idx on public.run_waits (organization_id, ${columns})
     where child_run_id is not null`,
  );
}

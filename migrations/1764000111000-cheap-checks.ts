import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/**
 * Lets large values of runs and waits cost nothing in claims and sweeps, which change many rows without writing these
 * values. Bounds the time of claims that park runs, and the number of runs that one call lets pass the limits of keys.
 */
export class CheapChecks1764000111000 extends SqlMigration {
  readonly name = 'CheapChecks1764000111000';
  readonly files = [
    'functions/bound_values.sql',
    'functions/requeue_due_runs.sql',
    'functions/end_child_run.sql',
    'functions/pass_keys.sql',
    'functions/sweep_run_limits.sql',
  ];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    await runner.query(
      `create trigger bound_values before insert or update of answer on public.workflow_runs
         for each row when (pg_column_size(new.answer) > 16384)
         execute function private.bound_values('answer', '4194304')`,
    );
    await runner.query(
      `create trigger bound_values before insert or update of payload, bindings on public.run_waits
         for each row when (pg_column_size(new.payload) > 16384 or pg_column_size(new.bindings) > 16384)
         execute function private.bound_values('payload', '4194304', 'bindings', '4194304')`,
    );
    // workflow_runs_payload_size_check has smaller limits for the remaining columns of this check.
    await runner.query('alter table public.workflow_runs drop constraint workflow_runs_size_check');
    await runner.query('alter table public.run_waits drop constraint run_waits_size_check');
    // PostgreSQL parses the snapshot in a check. The service stores one with an entry for each open transaction.
    await runner.query(
      'update public.run_waits set armed_snapshot = null where octet_length(armed_snapshot) > 16384',
    );
    await runner.query(
      `alter table public.run_waits add constraint run_waits_snapshot_size_check
         check (octet_length(armed_snapshot) <= 16384)`,
    );
  }

  override async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table public.run_waits drop constraint run_waits_snapshot_size_check',
    );
    await runner.query(
      `alter table public.run_waits add constraint run_waits_size_check check (
         (payload is null or pg_column_size(payload) <= 16384 or octet_length(payload::text) <= 4194304)
         and (bindings is null or pg_column_size(bindings) <= 16384 or octet_length(bindings::text) <= 4194304))`,
    );
    await runner.query(
      `alter table public.workflow_runs add constraint workflow_runs_size_check check (
         (request is null or pg_column_size(request) <= 4096 or octet_length(request::text) <= 1048576)
         and (large_payload is null or pg_column_size(large_payload) <= 16384
           or octet_length(large_payload::text) <= 4194304)
         and (answer is null or pg_column_size(answer) <= 16384 or octet_length(answer::text) <= 4194304))`,
    );
    await runner.query('drop trigger bound_values on public.run_waits');
    await runner.query('drop trigger bound_values on public.workflow_runs');
    await runner.query('drop function private.bound_values');
  }
}

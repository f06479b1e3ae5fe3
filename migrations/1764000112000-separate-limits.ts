import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

/** The columns that had only a limit of their sum. */
const NAMES = ['workflow_id', 'trigger_type', 'body_hash', 'replay_of'];

/**
 * Bounds each text of a run by itself. Before, a check bounded the sum of the texts. A function of the gate that stores
 * a reason could exceed this sum for a row that SQL of a tool had stored, and failed for all organizations. Also lets
 * the request of a run cost nothing in claims and sweeps.
 *
 * The service stores much shorter texts. Deletes runs with longer ones, which only SQL of a tool can have stored.
 */
export class SeparateLimits1764000112000 extends SqlMigration {
  readonly name = 'SeparateLimits1764000112000';
  readonly files = ['functions/park_run.sql', 'functions/admit_runs_of_workflow.sql'];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    const limits = NAMES.map((name) => `octet_length(${name}) <= 100`);
    await runner.query(`delete from public.workflow_runs where not (${limits.join(' and ')})`);
    await runner.query(
      `alter table public.workflow_runs add constraint workflow_runs_names_check check (${limits.join(' and ')})`,
    );
    await runner.query(
      'alter table public.workflow_runs drop constraint workflow_runs_texts_check',
    );
    await runner.query(
      `alter table public.workflow_runs drop constraint workflow_runs_payload_size_check,
         add constraint workflow_runs_payload_size_check check (octet_length(payload) <= 4194304
           and (large_payload is null or octet_length(large_payload::text) <= 4096))`,
    );
    await runner.query(
      `create trigger bound_request before insert or update of request on public.workflow_runs
         for each row when (pg_column_size(new.request) > 1024)
         execute function private.bound_values('request', '262144')`,
    );
  }

  override async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger bound_request on public.workflow_runs');
    await runner.query(
      `alter table public.workflow_runs drop constraint workflow_runs_payload_size_check,
         add constraint workflow_runs_payload_size_check check (octet_length(payload) <= 4194304
           and (request is null or pg_column_size(request) <= 1024 or octet_length(request::text) <= 262144)
           and (large_payload is null or octet_length(large_payload::text) <= 4096))`,
    );
    const texts = [
      'id',
      'workflow_id',
      'reason',
      'trigger_type',
      'contact_id',
      'dedupe_key',
      'body_hash',
      'root_run_id',
      'replay_of',
      'debounce_key',
      'slot_key',
    ].map((name) => `coalesce(octet_length(${name}), 0)`);
    await runner.query(
      `alter table public.workflow_runs add constraint workflow_runs_texts_check check (${texts.join(' + ')} <= 65536)`,
    );
    await runner.query(
      'alter table public.workflow_runs drop constraint workflow_runs_names_check',
    );
  }
}

import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

interface Check {
  readonly table: string;
  readonly name: string;
  readonly condition: string;
  /** The changes that make a row satisfy the condition. */
  readonly repair: string;
}

const RUNS = '^([1-9][0-9]{0,2}|1000)$';
const UP_TO_86400 = '^([1-9][0-9]{0,3}|[1-7][0-9]{4}|8[0-5][0-9]{3}|86[0-3][0-9]{2}|86400)$';
const UP_TO_604800 = '^([1-9][0-9]{0,4}|[1-5][0-9]{5}|60[0-3][0-9]{3}|604[0-7][0-9]{2}|604800)$';

/**
 * Lists the regular expression that the text of each limit must match. The maximums are those of
 * `src/workflows/definitions/run-limits.ts`.
 */
const LIMITS: readonly [limit: string, member: string, pattern: string][] = [
  ['concurrency', 'runs', RUNS],
  ['concurrency', 'runs_per_key', RUNS],
  ['rate', 'runs', RUNS],
  ['rate', 'per_seconds', UP_TO_86400],
  ['debounce', 'seconds', UP_TO_86400],
  ['debounce', 'max_seconds', UP_TO_604800],
];

const CHECKS: readonly Check[] = [
  {
    table: 'workflows',
    name: 'workflows_options_size_check',
    // Keeps only the opening brackets outside of strings. Their number bounds the depth of the value.
    condition: `octet_length(trigger_options::text) <= 524288 and octet_length(webhook_options::text) <= 65536
      and octet_length(secret) <= 65536 and octet_length(previous_secret) <= 65536
      and length(regexp_replace(trigger_options::text, '"(?:\\\\.|[^"\\\\])*"|[^[{"]', '', 'g')) <= 2000`,
    repair: `trigger_options = '{}', webhook_options = '{}', secret = null, previous_secret = null, active = false`,
  },
  {
    table: 'workflows',
    name: 'workflows_trigger_options_check',
    // Each operator fails when any text in the value is invalid, for example when it has U+0000.
    condition: [
      `length(trigger_options ->> 'if') <= 524288`,
      ...LIMITS.map(
        ([limit, member, pattern]) =>
          `trigger_options -> 'limits' -> '${limit}' ->> '${member}' ~ '${pattern}'`,
      ),
    ].join('\n      and '),
    repair: `trigger_options = '{}', active = false`,
  },
  {
    table: 'workflow_runs',
    name: 'workflow_runs_delayed_until_check',
    condition: `delayed_until is null
      or delayed_by is not null and (delayed_by = 'rate' or delayed_by = 'debounce' and debounce_key is not null)`,
    repair: 'delayed_until = null',
  },
  {
    table: 'pending_events',
    name: 'pending_events_xid_check',
    condition: `xid ~ '^(0|[1-9][0-9]{0,18})$'`,
    repair: `xid = '1'`,
  },
  {
    table: 'run_waits',
    name: 'run_waits_armed_snapshot_check',
    condition:
      'pg_snapshot_xmin(armed_snapshot::pg_snapshot) <= pg_snapshot_xmax(armed_snapshot::pg_snapshot)',
    repair: 'armed_snapshot = pg_current_snapshot()::text',
  },
];

/**
 * Refuses values with which functions for all organizations would fail, and bounds the work that the rows of one
 * organization can cause in such a function. A check evaluates a value as these functions do, so a statement that
 * stores a wrong value fails at once. Locks the tables while the checks read them.
 */
export class CheckedValues1764000076000 extends SqlMigration {
  readonly name = 'CheckedValues1764000076000';
  readonly files = [
    'functions/lease_runs.sql',
    'functions/requeue_due_runs.sql',
    'functions/admit_runs_of_workflow.sql',
    'functions/admit_due_runs.sql',
    'functions/pass_debounce.sql',
    'functions/pass_keys.sql',
    'functions/pass_rate.sql',
    'functions/pass_slots.sql',
    'functions/room_of_key.sql',
    'functions/sweep_run_limits.sql',
    'functions/stored_bytes.sql',
    'functions/find_parked_runs.sql',
  ];
  readonly objects = [
    'index public.workflow_runs_delayed_turns_idx',
    'trigger quota_refusal on public.file_chunks',
  ];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    for (const check of CHECKS) await addCheck(runner, check);
    await runner.query(
      `create index workflow_runs_delayed_turns_idx on public.workflow_runs (organization_id, delayed_until)
       where status = 'queued' and delayed_until is not null`,
    );
    // Without statistics, PostgreSQL chooses the index that was created last, so this index is created again. Otherwise
    // a search for due runs of all organizations would read the whole index workflow_runs_delayed_turns_idx.
    await runner.query('drop index public.workflow_runs_delayed_until_idx');
    await runner.query(
      `create index workflow_runs_delayed_until_idx on public.workflow_runs (delayed_until)
       where status = 'queued' and delayed_until is not null`,
    );
    await runner.query(
      `create trigger quota_refusal after insert on public.file_chunks referencing new table as inserted
       for each statement execute function private.refuse_insert('stored_bytes')`,
    );
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    for (const { table, name } of CHECKS) {
      await runner.query(`alter table public.${table} drop constraint ${name}`);
    }
  }
}

/** Repairs the rows that violate the check, so that one such row does not stop the migration. Then adds the check. */
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
    `update public.${table} stored set ${repair} where not pg_temp.satisfies(stored)`,
  );
  await runner.query(`drop function pg_temp.satisfies(public.${table})`);
  await runner.query(`alter table public.${table} add constraint ${name} check (${condition})`);
}

import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

const KIB = 1024;
const MIB = 1024 * KIB;

interface Bound {
  readonly table: string;
  readonly name: string;
  readonly condition: string;
  /** The changes that make a row satisfy the condition. When absent, the row is deleted. */
  readonly repair?: string;
}

const BOUNDS: readonly Bound[] = [
  {
    table: 'workflow_runs',
    name: 'workflow_runs_payload_size_check',
    // The service stores payloads of at most 1.5 MiB.
    condition: `octet_length(payload) <= ${4 * MIB}
      and (request is null or pg_column_size(request) <= ${KIB} or octet_length(request::text) <= ${256 * KIB})
      and (large_payload is null or octet_length(large_payload::text) <= ${4 * KIB})`,
    repair: `payload = '\\x7b7d', request = null, large_payload = null`,
  },
  texts('workflow_runs', 64 * KIB, [
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
  ]),
  texts('run_steps', 16 * KIB, ['run_id', 'step_id', 'tool']),
  texts('run_waits', 2 * MIB, [
    'run_id',
    'step_id',
    'event',
    'contact_id',
    'condition',
    'child_run_id',
    'error',
    'armed_xid',
    'armed_snapshot',
  ]),
  texts('pending_events', 64 * KIB, ['id', 'name', 'contact_id', 'after_run_id', 'after_step_id']),
  texts('messages', MIB, [
    'id',
    'contact_id',
    'channel',
    'direction',
    'recipient',
    'topic',
    'status_reason',
    'reason_code',
    'idempotency_key',
    'external_id',
    'provider_id',
    'provider_message_id',
    'run_id',
    'template_id',
    'locale',
    'held_by',
  ]),
  texts('workflow_versions', 64 * KIB, ['workflow_id', 'actor_kind', 'actor_id']),
  texts('workflows', 64 * KIB, ['id', 'name', 'trigger_type', 'trigger_event']),
  texts('import_faults', 16 * MIB, ['import_id', 'cells', 'reasons']),
];

/**
 * Bounds the payloads of runs, and the texts of the rows that workers read, because SQL of a tool could store texts of
 * 1 GB. The limits are above those of the service. Repairs or deletes stored rows that exceed them. Locks the tables
 * while the checks read them.
 */
export class BoundedRows1764000082000 extends SqlMigration {
  readonly name = 'BoundedRows1764000082000';
  readonly files = [];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    for (const { table, name, condition, repair } of BOUNDS) {
      await runner.query(
        repair === undefined
          ? `delete from public.${table} where not (${condition})`
          : `update public.${table} set ${repair} where not (${condition})`,
      );
      await runner.query(`alter table public.${table} add constraint ${name} check (${condition})`);
    }
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    for (const { table, name } of BOUNDS) {
      await runner.query(`alter table public.${table} drop constraint ${name}`);
    }
  }
}

/**
 * Returns a check that bounds the total number of bytes of the given texts in a row. PostgreSQL finds the length of a
 * text without decompressing the text.
 */
function texts(table: string, mostBytes: number, columns: readonly string[]): Bound {
  const bytes = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
  return { table, name: `${table}_texts_check`, condition: `${bytes} <= ${mostBytes}` };
}

import type { QueryRunner } from 'typeorm';
import { SqlMigration } from './sql-migration.js';

const MIB = 1024 * 1024;

interface Column {
  readonly name: string;
  readonly mostBytes: number;
  /** An SQL expression. Its result replaces each stored value that has more than `mostBytes` bytes. */
  readonly repair: string;
}

/** The JSON columns that workers read. Each limit is larger than every value that the service stores in the column. */
const COLUMNS: readonly (readonly [table: string, columns: readonly Column[]])[] = [
  ['pending_events', [column('payload', 4 * MIB, `'{}'`)]],
  ['run_waits', [column('payload', 4 * MIB, `'{}'`), column('bindings', 4 * MIB, `'{}'`)]],
  [
    'workflow_runs',
    [column('request', MIB), column('large_payload', 4 * MIB), column('answer', 4 * MIB)],
  ],
  [
    'run_steps',
    ['input', 'output', 'error', 'failed_attempts', 'progress', 'cut'].map((name) =>
      column(name, 8 * MIB),
    ),
  ],
  ['messages', [column('envelope', MIB)]],
  [
    'workflow_versions',
    [column('steps', 8 * MIB, `'[]'`), column('trigger_contact', MIB), column('content', 8 * MIB)],
  ],
  ['segments', [column('filters', MIB, `'{}'`)]],
  [
    'imports',
    [
      column('columns', 8 * MIB, `'[]'`),
      column('preview', 8 * MIB, `'[]'`),
      column('options', MIB),
    ],
  ],
];

/**
 * Limits the size of the JSON values that workers read. Without these limits, SQL of a tool could store a value of
 * 1 GB, and no worker could read it. Replaces larger values in existing rows. Locks the tables while the new
 * constraints are checked.
 */
export class BoundedValues1764000077000 extends SqlMigration {
  readonly name = 'BoundedValues1764000077000';
  readonly files = [];
  readonly objects = [];

  override async up(runner: QueryRunner): Promise<void> {
    await super.up(runner);
    for (const [table, columns] of COLUMNS) {
      const repairs = columns.map(
        (of) => `${of.name} = case when ${isBounded(of)} then ${of.name} else ${of.repair} end`,
      );
      const condition = columns.map((of) => `(${isBounded(of)})`).join(' and ');
      await runner.query(
        `update public.${table} set ${repairs.join(', ')} where not (${condition})`,
      );
      await runner.query(
        `alter table public.${table} add constraint ${table}_size_check check (${condition})`,
      );
    }
  }

  override async down(runner: QueryRunner): Promise<void> {
    await super.down(runner);
    for (const [table] of COLUMNS) {
      await runner.query(`alter table public.${table} drop constraint ${table}_size_check`);
    }
  }
}

function column(name: string, mostBytes: number, repair = 'null'): Column {
  return { name, mostBytes, repair };
}

/**
 * Returns SQL that is false for a value with too many bytes. PostgreSQL decompresses a stored value to find the length
 * of its text. The stored size is compared first, because compression makes a text at most 255 times smaller.
 */
function isBounded({ name, mostBytes }: Column): string {
  return `${name} is null or pg_column_size(${name}) <= ${Math.floor(mostBytes / 256)}
    or octet_length(${name}::text) <= ${mostBytes}`;
}

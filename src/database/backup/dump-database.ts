import type { Client } from 'pg';
import { AppError } from '../../errors/app-error.js';
import { counted } from '../../text/counted.js';
import { CopyOut } from '../driver/copy-out.js';
import type { SecretBox } from '../secret-box.js';
import type { ArchiveEntry, ArchiveHeader, ArchiveSequence } from './archive-entry.js';
import { findSecretKeys } from './find-secret-keys.js';
import {
  assertComplete,
  findMigrations,
  findStoredTables,
  type StoredTable,
} from './stored-tables.js';

/** The longest time that the backup waits for a statement that changes a table. */
const LOCK_TIMEOUT = '60s';
const CHECK_SETTINGS = 'Set DATA_DIR or DATABASE_URL as for the running service.';

export interface DumpOptions {
  /** The version of Switchboard that makes the backup. */
  product: string;
  /** Creates the box that opens secrets with this data key and the SECRET_KEY of this command. */
  boxOf: (dataKey: Buffer) => SecretBox;
  log: (line: string) => void;
}

/** The numbers of tables and rows that a dump has read so far. */
export interface DumpCounts {
  tables: number;
  rows: number;
  takenAt: string;
}

/**
 * Reads all rows of the installation in one snapshot, while the service works. `client` must be the owner of the
 * database. Throws, before the first part, when row-level security could hide rows.
 */
export async function* dumpDatabase(
  client: Client,
  { product, boxOf, log }: DumpOptions,
  counts: DumpCounts,
): AsyncGenerator<ArchiveEntry, void> {
  await fixFormats(client);
  const tables = await lockTables(client);
  assertComplete(tables);
  await reportOtherTables(client, log);
  const header = await readHeader(client, tables, { product, boxOf, log });
  counts.takenAt = header.takenAt;
  yield header;
  for (const table of tables) {
    yield { kind: 'table', table: table.name, columns: table.columns };
    const copy = client.query(new CopyOut(table.copyOut));
    for await (const bytes of copy) yield { kind: 'rows', bytes: bytes as Buffer };
    yield { kind: 'table_end', rows: copy.rows };
    counts.tables += 1;
    counts.rows += copy.rows;
  }
  // Sequences are outside of snapshots. Their values are read last, so that no value is lower than a number in a row.
  yield { kind: 'end', tables: tables.length, sequences: await readSequences(client) };
  await client.query('commit');
}

/** Fixes the text formats of values, so that every server can read them. Removes the time limits of statements. */
export async function fixFormats(client: Client): Promise<void> {
  await client.query(
    `set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set bytea_output = 'hex';
     set extra_float_digits = 3; set client_encoding = 'UTF8'; set search_path = pg_catalog;
     set statement_timeout = 0; set idle_in_transaction_session_timeout = 0`,
  );
}

/** Begins the snapshot, and locks the tables against changes of their columns until the transaction ends. */
async function lockTables(client: Client): Promise<StoredTable[]> {
  const before = await findStoredTables(client);
  if (!before.some(({ name }) => name === 'private.installation')) {
    throw new AppError('not_found', `The database has no tables of Switchboard. ${CHECK_SETTINGS}`);
  }
  await client.query(`select set_config('lock_timeout', $1, false)`, [LOCK_TIMEOUT]);
  // The locks come first, because the first query takes the snapshot. A migration between the snapshot and the locks
  // could change tables before they are read.
  await client.query('begin isolation level repeatable read read only');
  for (const { lock } of before) await client.query(lock);
  const tables = await findStoredTables(client);
  if (JSON.stringify(tables) !== JSON.stringify(before)) {
    throw new AppError(
      'conflict',
      'A migration changed the tables meanwhile. Run this command again.',
    );
  }
  return tables;
}

async function readHeader(
  client: Client,
  tables: readonly StoredTable[],
  { product, boxOf, log }: DumpOptions,
): Promise<ArchiveHeader> {
  const { rows } = await client.query<{ taken_at: Date; data_key: Buffer }>(
    'select now() as taken_at, data_key from private.installation',
  );
  if (!rows[0]) {
    throw new AppError(
      'not_found',
      `Switchboard never started on this database. ${CHECK_SETTINGS}`,
    );
  }
  const { taken_at, data_key } = rows[0];
  return {
    kind: 'header',
    product,
    takenAt: taken_at.toISOString(),
    ...(await findMigrations(client)),
    secretKeys: await findSecretKeys(client, tables, boxOf(data_key), log),
  };
}

async function readSequences(client: Client): Promise<ArchiveSequence[]> {
  const { rows } = await client.query<ArchiveSequence>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as last from pg_sequences
     where schemaname in ('public', 'gate', 'private') and last_value is not null order by 1`,
  );
  return rows;
}

/**
 * Reports schemas that are not part of the backup, in which a module may keep rows. Otherwise the operator would notice
 * the missing rows only after a restore.
 */
async function reportOtherTables(client: Client, log: DumpOptions['log']): Promise<void> {
  const { rows } = await client.query<{ schema: string; tables: number }>(
    `select n.nspname as schema, count(*)::int as tables
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^pg_'
       and n.nspname not in ('public', 'gate', 'private', 'information_schema')
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
         and d.refclassid = 'pg_extension'::regclass and d.deptype = 'e')
     group by 1 order by 1`,
  );
  for (const { schema, tables } of rows) {
    log(
      `Not in the backup: the schema ${schema} with ${counted(tables, 'table')}, which is not Switchboard's.`,
    );
  }
}

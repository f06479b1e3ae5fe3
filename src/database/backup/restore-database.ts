import { Client } from 'pg';
import { AppError } from '../../errors/app-error.js';
import { counted } from '../../text/counted.js';
import { CopyIn } from '../driver/copy-in.js';
import { describeConnection } from '../setup/describe-connection.js';
import { type ExtensionSchema, migrateExtensions } from '../setup/migrate-extensions.js';
import { migrate, prepareDatabase } from '../setup/prepare-database.js';
import type { ArchiveEntry, ArchiveSequence } from './archive-entry.js';
import { readArchive } from './archive-file.js';
import { damaged } from './decode-archive.js';
import { fixFormats } from './dump-database.js';
import type { Manifest } from './read-manifest.js';
import { renewTransactionIds } from './renew-transaction-ids.js';
import { assertEmpty, assertSameSchema, claimTarget } from './restore-target.js';
import { findStoredTables, type StoredTable } from './stored-tables.js';

const CONNECT_MS = 30_000;

export interface RestoreTarget {
  /** The URL of an empty database. Its user must be the owner. */
  url: string;
  extensions?: ExtensionSchema;
  log: (line: string) => void;
}

/**
 * Restores the archive into an empty database. Makes the tables as they were, copies all rows in one transaction,
 * runs newer migrations, and creates the roles of the service. A failure before the commit leaves no rows, and the
 * restore can be repeated.
 */
export async function restoreDatabase(
  path: string,
  manifest: Manifest,
  { url, extensions, log }: RestoreTarget,
): Promise<void> {
  const client = await connect(url);
  try {
    await claimTarget(client);
    await assertEmpty(client, await findStoredTables(client));
    await migrateTo(manifest, url, extensions);
    await fixFormats(client);
    await client.query('begin');
    await copyEverything(client, path, manifest);
    await client.query('commit');
    log(
      `Restored ${counted(manifest.tables.length, 'table')} with ${counted(rowsOf(manifest), 'row')}.`,
    );
  } finally {
    await client.end();
  }
  await prepareDatabase(url, { waitMs: CONNECT_MS, log, extensions });
  await analyze(url);
}

/** Counts the rows in an archive. */
export function rowsOf({ tables }: Manifest): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw new AppError('unavailable', `DATABASE_URL: ${describeConnection(error, client)}.`, {
      cause: error,
    });
  }
}

/** Makes the tables as they were at the time of the backup. */
async function migrateTo(
  { header }: Manifest,
  url: string,
  extensions: ExtensionSchema | undefined,
): Promise<void> {
  await migrate(url, header.migrations);
  if (header.moduleMigrations.length === 0 || !extensions) return;
  // The data source has no entities, because the tables of some entities are created only by newer migrations.
  const { migrations } = extensions;
  await migrateExtensions(url, { entities: [], migrations }, header.moduleMigrations);
}

async function copyEverything(client: Client, path: string, manifest: Manifest): Promise<void> {
  const tables = await findStoredTables(client);
  await assertSameSchema(client, tables, manifest);
  for (const { lockExclusively } of tables) await client.query(lockExclusively);
  // The tables are checked again, because before the locks another process could insert rows.
  await assertEmpty(client, tables);
  for (const statement of tables.flatMap(({ open }) => open)) await client.query(statement);
  for (const { clear } of tables.toReversed()) await client.query(clear);
  const sequences = await copyTables(client, path, manifest, tables);
  for (const { name, last } of sequences) {
    await client.query('select setval($1::regclass, $2)', [name, last]);
  }
  await renewTransactionIds(client, tables);
  for (const statement of tables.flatMap(({ close }) => close)) await client.query(statement);
}

/** Copies the rows of all tables and returns the sequences. The checksums are checked again during the copy. */
async function copyTables(
  client: Client,
  path: string,
  manifest: Manifest,
  tables: readonly StoredTable[],
): Promise<readonly ArchiveSequence[]> {
  const targets = new Map(tables.map((table) => [table.name, table]));
  const entries = readArchive(path);
  let sequences: readonly ArchiveSequence[] | undefined;
  try {
    for (;;) {
      const next = await entries.next();
      // The last part of an archive has the checksum of the archive. So the iteration ends without an error only when
      // the whole archive is unchanged.
      if (next.done) return sequences!;
      const entry = next.value;
      if (entry.kind === 'header') assertUnchanged(entry, manifest);
      if (entry.kind === 'end') ({ sequences } = entry);
      if (entry.kind === 'table') await copyTable(client, targets.get(entry.table), entry, entries);
    }
  } finally {
    await entries.return();
  }
}

function assertUnchanged(header: ArchiveEntry, manifest: Manifest): void {
  if (JSON.stringify(header) === JSON.stringify(manifest.header)) return;
  throw new AppError(
    'conflict',
    'Somebody replaced the file during the restore. Nothing was restored. Run this command again.',
  );
}

async function copyTable(
  client: Client,
  target: StoredTable | undefined,
  { table, columns }: { table: string; columns: readonly string[] },
  entries: AsyncGenerator<ArchiveEntry, void>,
): Promise<void> {
  if (!target || target.columns.join() !== columns.join()) {
    throw damaged(`its table ${table} is unknown here`);
  }
  let expected: number | undefined;
  async function* rows(): AsyncGenerator<Buffer, void> {
    for (;;) {
      const next = await entries.next();
      if (next.done) return;
      if (next.value.kind === 'table_end') expected = next.value.rows;
      if (next.value.kind !== 'rows') return;
      yield next.value.bytes;
    }
  }
  const stored = await client.query(new CopyIn(target.copyIn, rows())).done;
  if (stored !== expected) {
    throw damaged(`its table ${table} should have ${expected} rows and has ${stored}`);
  }
}

/**
 * Collects statistics of the tables. Without statistics, queries would be slow in the first minutes after a restore.
 */
async function analyze(url: string): Promise<void> {
  const client = await connect(url);
  try {
    for (const { analyze: statement } of await findStoredTables(client)) {
      await client.query(statement);
    }
  } finally {
    await client.end();
  }
}

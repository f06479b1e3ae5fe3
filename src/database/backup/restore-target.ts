import type { Client } from 'pg';
import { AppError } from '../../errors/app-error.js';
import { assertOwner } from '../setup/assert-owner.js';
import { tryLockMigrations } from '../setup/prepare-database.js';
import type { ArchiveHeader } from './archive-entry.js';
import type { Manifest } from './read-manifest.js';
import { assertComplete, findMigrations, type StoredTable } from './stored-tables.js';

/** The tables into which migrations insert rows. */
const FILLED_BY_MIGRATIONS = new Set(['private.quota_defaults']);

/**
 * Checks that a backup may be restored into the database of `client`, and prevents other processes from migrating this
 * database until the connection ends. Throws when the user is not the owner of the database, or when a process uses the
 * database.
 */
export async function claimTarget(client: Client): Promise<void> {
  await assertOwner(client);
  const { rows } = await client.query<{ user: string; connections: number }>(
    `select usename as user, count(*)::int as connections from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and usesysid is not null
       and (usename = current_user or starts_with(usename, 'switchboard_'))
     group by 1 order by 1`,
  );
  const isFree = await tryLockMigrations(client);
  if (isFree && rows.length === 0) return;
  const users = rows.map(({ user, connections }) => `${user} (${connections})`).join(', ');
  throw new AppError(
    'conflict',
    'A process is connected to the database' +
      `${users === '' ? '' : `, as ${users}`}. Stop every process of Switchboard there, then restore.`,
  );
}

/** Throws when a table has rows, because a restore never overwrites anything. */
export async function assertEmpty(client: Client, tables: readonly StoredTable[]): Promise<void> {
  assertComplete(tables);
  for (const { name, probe } of tables) {
    if (FILLED_BY_MIGRATIONS.has(name)) continue;
    const { rows } = await client.query(probe);
    if (rows.length === 0) continue;
    throw new AppError(
      'conflict',
      `The database is not empty: ${name} has rows. A restore overwrites nothing. Set DATABASE_URL to a new ` +
        'database or, with the built-in PostgreSQL, set DATA_DIR to a new folder.',
    );
  }
}

/** Throws unless the database has the migrations and the tables of the archive. */
export async function assertSameSchema(
  client: Client,
  tables: readonly StoredTable[],
  manifest: Manifest,
): Promise<void> {
  assertSameMigrations(await findMigrations(client), manifest.header);
  const present = new Map(tables.map(({ name, columns }) => [name, columns]));
  for (const { table, columns } of manifest.tables) {
    const found = present.get(table);
    const isSame =
      found?.length === columns.length && columns.every((column) => found.includes(column));
    if (isSame) continue;
    throw new AppError(
      'conflict',
      `The migrations of the backup ${found ? 'create other columns of' : 'do not create'} the table ${table}. ` +
        'Restore it with the version of Switchboard and of the modules that made the backup.',
    );
  }
}

function assertSameMigrations(
  present: Pick<ArchiveHeader, 'migrations' | 'moduleMigrations'>,
  wanted: ArchiveHeader,
): void {
  for (const list of ['migrations', 'moduleMigrations'] as const) {
    const extra = present[list].find((name) => !wanted[list].includes(name));
    if (extra === undefined) continue;
    throw new AppError(
      'conflict',
      `The database already has the migration ${extra}, which is newer than the backup. Use a new database.`,
    );
  }
}

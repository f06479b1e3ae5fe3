import { Client } from 'pg';
import { ENTITIES } from '../../src/bootstrap/entities.js';
import type { ArchiveEntry } from '../../src/database/backup/archive-entry.js';
import { readArchive, writeArchive } from '../../src/database/backup/archive-file.js';
import { dumpDatabase } from '../../src/database/backup/dump-database.js';
import { assertKnown, assertOpens, readManifest } from '../../src/database/backup/read-manifest.js';
import { restoreDatabase } from '../../src/database/backup/restore-database.js';
import { SecretBox } from '../../src/database/secret-box.js';
import { type MigrationClass, nameOf } from '../../src/database/setup/migrate-extensions.js';
import { MIGRATION_NAMES } from '../../src/database/setup/prepare-database.js';
import type { DatabaseOwner } from './database-owner.js';

/** Writes a backup as `npm run backup` does. Returns the lines that it printed. */
export async function backUp(url: string, file: string, secretKey?: string): Promise<string[]> {
  const lines: string[] = [];
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const entries = dumpDatabase(
      client,
      {
        product: '0.0.0',
        boxOf: (dataKey) => new SecretBox(dataKey, secretKey),
        log: (line) => lines.push(line),
      },
      { tables: 0, rows: 0, takenAt: '' },
    );
    await writeArchive(file, entries);
  } finally {
    await client.end();
  }
  return lines;
}

/** Restores a backup as `npm run restore` does. Returns the lines that it printed. */
export async function restore(
  file: string,
  url: string,
  secretKey?: string,
  migrations: MigrationClass[] = [],
): Promise<string[]> {
  const lines: string[] = [];
  const manifest = await readManifest(file);
  const moduleMigrations = migrations.map(nameOf);
  assertKnown(manifest.header, { migrations: MIGRATION_NAMES, moduleMigrations });
  assertOpens(new SecretBox(manifest.dataKey, secretKey), manifest.header);
  await restoreDatabase(file, manifest, {
    url,
    log: (line) => lines.push(line),
    extensions: migrations.length > 0 ? { entities: ENTITIES, migrations } : undefined,
  });
  return lines;
}

/** Writes a copy of an archive, in which `change` can replace each entry. */
export async function rewrite(
  file: string,
  copy: string,
  change: (entry: ArchiveEntry) => ArchiveEntry,
): Promise<void> {
  async function* changed(): AsyncGenerator<ArchiveEntry, void> {
    for await (const entry of readArchive(file)) yield change(entry);
  }
  await writeArchive(copy, changed());
}

/** The columns that get new values at a restore, because ids of transactions belong to one server. */
const RENEWED = ['armed_xid', 'armed_snapshot', 'xid'];

/**
 * Returns the number of rows and a checksum of each table, and the values of sequences. This function uses no code of
 * the backup command.
 */
export async function digestOf(
  owner: DatabaseOwner,
  url: string,
): Promise<Record<string, string | null>> {
  const tables = await owner.ask<{ digest: string }>(
    url,
    `select format('select %L as name, count(*) || '' '' || md5(coalesce(string_agg(row, '''' order by row), '''')) as digest
       from (select (to_jsonb(t) - %L::text[])::text as row from %s t) as rows', c.oid::regclass, $1::text[], c.oid::regclass) as digest
     from pg_class c where c.relnamespace = any ('{public,gate,private}'::regnamespace[]) and c.relkind = 'r'
     order by c.oid::regclass::text`,
    [RENEWED],
  );
  const all = tables.map(({ digest }) => digest).join(' union all ');
  const found: Record<string, string | null> = {};
  for (const { name, digest } of await owner.ask<{ name: string; digest: string }>(
    url,
    `${all} order by name`,
  )) {
    found[name] = digest;
  }
  const sequences = await owner.ask<{ name: string; last: string | null }>(
    url,
    `select schemaname || '.' || sequencename as name, last_value::text as last from pg_sequences order by 1`,
  );
  for (const { name, last } of sequences) found[name] = last;
  return found;
}

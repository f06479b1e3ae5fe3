import { AppError } from '../../errors/app-error.js';
import type { SecretBox } from '../secret-box.js';
import type { ArchiveHeader, ArchiveTable } from './archive-entry.js';
import { readArchive } from './archive-file.js';
import { damaged } from './decode-archive.js';

const INSTALLATION = 'private.installation';
/** The largest size, in bytes, of the rows of `private.installation` in an archive. That table has one short row. */
const MOST_INSTALLATION_BYTES = 64 * 1024;

/** The contents of an archive. */
export interface Manifest {
  header: ArchiveHeader;
  tables: readonly { table: string; columns: readonly string[]; rows: number }[];
  /** The random key of the installation, with which the stored secrets are encrypted together with SECRET_KEY. */
  dataKey: Buffer;
}

/**
 * Reads the whole archive, checks all its checksums, and returns a description of its contents. Throws when the archive
 * is damaged.
 */
export async function readManifest(path: string): Promise<Manifest> {
  let header: ArchiveHeader | undefined;
  let current: ArchiveTable | undefined;
  let dataKey: Buffer | undefined;
  const tables: Manifest['tables'][number][] = [];
  const installation: Buffer[] = [];
  for await (const entry of readArchive(path)) {
    if (entry.kind === 'header') header = entry;
    if (entry.kind === 'table') current = entry;
    if (entry.kind === 'rows' && current!.table === INSTALLATION) installation.push(entry.bytes);
    if (entry.kind === 'table_end') {
      const { table, columns } = current!;
      tables.push({ table, columns, rows: entry.rows });
      if (table === INSTALLATION) dataKey = dataKeyIn(installation, columns);
    }
  }
  if (!dataKey) throw damaged('the keys of the installation are missing');
  return { header: header!, tables, dataKey };
}

function dataKeyIn(rows: readonly Buffer[], columns: readonly string[]): Buffer {
  const bytes = Buffer.concat(rows);
  if (bytes.length > MOST_INSTALLATION_BYTES)
    throw damaged('the keys of the installation are wrong');
  const values = bytes.toString('utf8').split('\n')[0]!.split('\t');
  // COPY doubles the backslash of a bytea in hexadecimal format.
  const hex = /^\\\\x([0-9a-f]{64})$/.exec(values[columns.indexOf('data_key')] ?? '')?.[1];
  if (hex === undefined) throw damaged('the keys of the installation are wrong');
  return Buffer.from(hex, 'hex');
}

/** Throws when the archive has migrations that this program does not know. */
export function assertKnown(
  { migrations, moduleMigrations, product }: ArchiveHeader,
  known: { migrations: readonly string[]; moduleMigrations: readonly string[] },
): void {
  const newer = migrations.find((name) => !known.migrations.includes(name));
  if (newer !== undefined) {
    throw new AppError(
      'conflict',
      `A newer version of Switchboard (${product}) made this backup: it has the migration ${newer}, which this ` +
        'version does not know. Restore it with that version, or a later one.',
    );
  }
  const foreign = moduleMigrations.find((name) => !known.moduleMigrations.includes(name));
  if (foreign !== undefined) {
    throw new AppError(
      'conflict',
      `The backup has tables of modules: it has the migration ${foreign}, which is not part of Switchboard. Restore ` +
        'it with a program that passes these modules to restoreBackup (docs/operations.md).',
    );
  }
}

/** Throws when the archive needs a key that `box` does not have. */
export function assertOpens(box: SecretBox, { secretKeys }: ArchiveHeader): void {
  if (secretKeys.every((id) => box.opens(id))) return;
  throw new AppError(
    'conflict',
    'The secrets in this backup were encrypted with another SECRET_KEY. Set SECRET_KEY, and OTHER_SECRET_KEY if there ' +
      'was one, to the values that the service had at the time of the backup. If they are lost, add --lost-secret-key: ' +
      'then webhooks, providers and steps cannot use their stored secrets until you set new ones, and resume URLs stop ' +
      'working.',
  );
}

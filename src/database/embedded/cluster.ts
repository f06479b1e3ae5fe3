import { randomBytes, randomUUID } from 'node:crypto';
import { chown, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Binaries } from './binaries.js';
import { copyTemplate } from './cluster-template.js';
import { type DataDir, readIfExists } from './data-dir.js';
import {
  EmbeddedPostgresError,
  diskFull,
  errorCode,
  programFailure,
} from './embedded-postgres-error.js';
import { ROLE, runInitdb, syncCluster } from './initdb.js';
import type { SystemUser } from './system-user.js';

/**
 * Creates a cluster without data. Copies the template when there is a template that works, and runs initdb otherwise.
 * After a crash at any point, there is either no cluster or a complete cluster.
 */
export async function createCluster(
  dataDir: DataDir,
  binaries: Binaries,
  user: SystemUser | null,
  isDurable: boolean,
  onSpawn: () => void,
): Promise<void> {
  const password = await ensurePassword(dataDir, user);
  // Every attempt uses a new name: after kill -9 of Node, a program of an earlier attempt may still write to the
  // earlier draft.
  const draft = join(dataDir.path, `${dataDir.initPrefix}-${randomUUID().slice(0, 8)}`);
  try {
    if (await isCopied(binaries, draft, user, password)) {
      if (isDurable) await syncCluster(binaries, draft, user);
    } else {
      await mkdir(draft, { mode: 0o700 });
      if (user) await chown(draft, user.uid, user.gid);
      const initdb = runInitdb(binaries, draft, dataDir.passwordFile, user, isDurable);
      onSpawn();
      await initdb;
    }
    await rename(draft, dataDir.cluster);
    if (isDurable) await syncDirectory(dataDir.path);
  } catch (error: unknown) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    const message = `A new database could not be created in ${dataDir.path}: initdb failed.`;
    throw programFailure(dataDir.path, message, outputOf(error) || String(error), error);
  }
}

/**
 * Copies the template into `draft`. Returns false, and leaves nothing behind, when there is no template that works
 * here.
 */
async function isCopied(
  binaries: Binaries,
  draft: string,
  user: SystemUser | null,
  password: string,
): Promise<boolean> {
  try {
    await copyTemplate(binaries, draft, user, password);
    return true;
  } catch {
    // The error of the copy is not reported, because initdb then makes the same cluster. When initdb fails too, for
    // example on a full disk, initdb reports the reason.
    await rm(draft, { recursive: true, force: true });
    return false;
  }
}

/** Deletes the files of interrupted initdb processes. Only the holder of the start lock may call it. */
export async function removeLeftovers(dataDir: DataDir): Promise<void> {
  for (const entry of await readdir(dataDir.path)) {
    if (!entry.startsWith(dataDir.initPrefix)) continue;
    // An earlier initdb that is still running may add files. The next start deletes these files.
    await rm(join(dataDir.path, entry), { recursive: true, force: true }).catch(() => undefined);
  }
}

export async function readPassword(dataDir: DataDir): Promise<string> {
  const password = await readIfExists(dataDir.passwordFile);
  if (password !== null) return password.trim();
  throw new EmbeddedPostgresError(
    `The password of the database in ${dataDir.cluster} is missing: ${dataDir.passwordFile}. ` +
      'Put the file back from a backup of the data directory, or set DATA_DIR to another ' +
      'directory.',
  );
}

// The password is written before the cluster. When the cluster cannot be created, the password stays. So every
// cluster has its password.
async function ensurePassword(dataDir: DataDir, user: SystemUser | null): Promise<string> {
  const draft = `${dataDir.passwordFile}.draft`;
  await rm(draft, { force: true });
  const password = randomBytes(24).toString('base64url');
  await writeFile(draft, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
  if (user) await chown(draft, user.uid, user.gid);
  await rename(draft, dataDir.passwordFile);
  return password;
}

// Until the directory itself is on disk, a power cut can undo the renaming.
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function outputOf(error: unknown): string {
  const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
  return `${stdout}\n${stderr}`.trim();
}

export function urlOf(port: number, password: string, database: string): string {
  return `postgres://${ROLE}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

/** Creates the database of the application unless it exists. Throws when the server does not answer. */
export async function ensureDatabase(port: number, password: string): Promise<void> {
  const client = new Client({
    connectionString: urlOf(port, password, 'postgres'),
    connectionTimeoutMillis: 3_000,
  });
  // Without a listener, the error event of a server that ends would end this process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const found = await client.query('select from pg_database where datname = $1', [ROLE]);
    if (found.rowCount === 0) await client.query(`create database ${ROLE}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

export function databaseFailure(dataDir: string, passwordFile: string, error: unknown): Error {
  switch (errorCode(error)) {
    case '28P01':
      return new EmbeddedPostgresError(
        `The database in ${dataDir} does not accept the password in ${passwordFile}. ` +
          'Put back the file that belongs to this database, or set DATA_DIR to another directory.',
        { cause: error },
      );
    case '53100':
      return diskFull(dataDir, error);
    default:
      return new EmbeddedPostgresError(
        `The database in ${dataDir} runs but does not answer: ` +
          (error instanceof Error ? error.message : String(error)),
        { cause: error },
      );
  }
}

export function isTransient(error: unknown): boolean {
  const code = errorCode(error);
  // 57P01 and 57P03: the server is starting or stopping. Without a code, the connection broke or timed out.
  return code === undefined || code === '57P01' || code === '57P03' || code.startsWith('ECONN');
}

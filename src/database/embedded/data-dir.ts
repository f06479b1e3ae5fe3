import { constants } from 'node:fs';
import { access, chmod, mkdir, readdir, readFile, realpath, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import { EmbeddedPostgresError, errorCode, fileFailure } from './embedded-postgres-error.js';

export class DataDir {
  readonly cluster: string;
  readonly initPrefix = 'pg.init';
  readonly passwordFile: string;
  readonly ownerFile: string;
  readonly lockFile: string;
  readonly logFile: string;

  private constructor(readonly path: string) {
    this.cluster = join(path, 'pg');
    this.passwordFile = join(path, 'pg.password');
    this.ownerFile = join(path, 'pg.owner');
    this.lockFile = join(path, 'pg.lock');
    this.logFile = join(path, 'postgres.log');
  }

  /** Opens the directory, and creates it when it is missing. Throws an error for people when it cannot be used. */
  static async open(path: string): Promise<DataDir> {
    const absolute = resolve(path);
    try {
      const first = await mkdir(absolute, { recursive: true, mode: 0o700 });
      if (first && process.getuid?.() === 0) await allowEntry(first, absolute);
      await access(absolute, constants.R_OK | constants.W_OK | constants.X_OK);
      // A running server is recognized by the real path on its command line.
      return new DataDir(await realpath(absolute));
    } catch (error: unknown) {
      throw fileFailure(absolute, error);
    }
  }

  /** Returns true when there is a database. Throws for a database of another major version, and for other files. */
  async hasCluster(major: string): Promise<boolean> {
    const version = await readIfExists(join(this.cluster, 'PG_VERSION'));
    if (version === null) {
      await this.removeEmptyCluster();
      return false;
    }
    if (version.trim() === major) return true;
    throw new EmbeddedPostgresError(
      `The database in ${this.cluster} was created by PostgreSQL ${version.trim()}, but the built-in ` +
        `one is PostgreSQL ${major}. Make a backup with the version of Switchboard that ran here ` +
        '(npm run backup), set DATA_DIR to another directory, and restore it there (npm run restore).',
    );
  }

  // Files are never deleted, because they may be somebody's only copy.
  private async removeEmptyCluster(): Promise<void> {
    const entries = await readdir(this.cluster).catch((error: unknown) =>
      errorCode(error) === 'ENOENT' ? undefined : ['?'],
    );
    if (!entries) return;
    if (entries.length > 0) {
      throw new EmbeddedPostgresError(
        `${this.cluster} exists but contains no PostgreSQL database (no PG_VERSION file). ` +
          'Move it away, or set DATA_DIR to another directory.',
      );
    }
    await rmdir(this.cluster);
  }
}

export async function readIfExists(path: string): Promise<string | null> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
}

// The account that runs PostgreSQL must be able to enter these directories. Execute permission is enough for this, and
// does not let other accounts list the files.
async function allowEntry(first: string, last: string): Promise<void> {
  for (let dir = last; ; dir = dirname(dir)) {
    await chmod(dir, 0o711);
    if (dir === first || dir === dirname(dir)) return;
  }
}

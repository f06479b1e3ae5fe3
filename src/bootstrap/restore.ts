import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { loadProcessEnv } from './load-process-env.js';
import type { Env } from '../config/env.js';
import {
  assertKnown,
  assertOpens,
  type Manifest,
  readManifest,
} from '../database/backup/read-manifest.js';
import { restoreDatabase, rowsOf } from '../database/backup/restore-database.js';
import { SecretBox } from '../database/secret-box.js';
import { nameOf } from '../database/setup/migrate-extensions.js';
import { MIGRATION_NAMES } from '../database/setup/prepare-database.js';
import { writeDemoMarker } from '../demo/demo-marker.js';
import { toError } from '../errors/app-error.js';
import { counted } from '../text/counted.js';
import type { Extensions } from './app.module.js';
import { ENTITIES } from './entities.js';
import { withOwnerUrl } from './owner-connection.js';

const USAGE = `Usage:
  npm run restore -- FILE                    restores into the empty database of DATABASE_URL, or of DATA_DIR
  npm run restore -- --check FILE            reads the file, checks it, and changes nothing
  npm run restore -- --lost-secret-key FILE  restores although no key opens the stored secrets`;

interface Options {
  file: string;
  check: boolean;
  lostSecretKey: boolean;
}

/**
 * Restores a backup into the configured database, which must be empty. A team whose modules have tables calls this
 * function in its own program and passes the modules. The exit code is 2 when nothing was restored or checked, or when
 * the database is not ready.
 */
export async function restoreBackup(extensions: Extensions = {}): Promise<void> {
  try {
    const { file, check, lostSecretKey } = readOptions(process.argv.slice(2));
    const manifest = await readManifest(file);
    report(file, manifest);
    if (check) return;
    const { migrations = [] } = extensions;
    const moduleMigrations = migrations.map(nameOf);
    assertKnown(manifest.header, { migrations: MIGRATION_NAMES, moduleMigrations });
    const env = loadProcessEnv();
    if (!lostSecretKey) {
      const box = new SecretBox(manifest.dataKey, env.secretKey, env.otherSecretKey);
      assertOpens(box, manifest.header);
    }
    await restore(env, file, manifest, extensions);
    say('The database is ready. Start Switchboard on it, and on no other copy of it.');
  } catch (error) {
    process.stderr.write(`The backup was not restored: ${toError(error).message}\n`);
    process.exitCode = 2;
  }
}

function readOptions(given: string[]): Options {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      args: given,
      allowPositionals: true,
      options: { check: flag, 'lost-secret-key': flag },
    });
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new Error('Give one file.');
    return { file, check: values.check, lostSecretKey: values['lost-secret-key'] };
  } catch (error) {
    throw new Error(`${toError(error).message}\n${USAGE}`, { cause: error });
  }
}

function report(file: string, manifest: Manifest): void {
  const { product, takenAt } = manifest.header;
  say(
    `${file}: Switchboard ${product}, snapshot of ${takenAt}, ${counted(manifest.tables.length, 'table')}, ` +
      `${counted(rowsOf(manifest), 'row')}. Its checksums are right.`,
  );
}

async function restore(
  env: Env,
  file: string,
  manifest: Manifest,
  { entities = [], migrations = [] }: Extensions,
): Promise<void> {
  const isExtended = entities.length > 0 || migrations.length > 0;
  await withOwnerUrl(env, async (url) => {
    await restoreDatabase(file, manifest, {
      url,
      log: say,
      ...(isExtended && { extensions: { entities: [...ENTITIES, ...entities], migrations } }),
    });
  });
  // The first start on a new data folder would add a demo organization to the restored ones.
  if (!env.databaseUrl) await writeDemoMarker(env.dataDir, 'A backup was restored here.');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

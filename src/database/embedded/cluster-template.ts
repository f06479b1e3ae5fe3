import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { escapeLiteral } from 'pg';
import { type Binaries, findBinaries, makeRunnable } from './binaries.js';
import { packCluster, unpackCluster } from './cluster-archive.js';
import { INITDB_OPTIONS, ROLE, runInitdb, runSingleUser } from './initdb.js';
import { type SystemUser, choosePostgresUser, openPathFor } from './system-user.js';

/**
 * The statements that run in every template after initdb. The superuser of a template has no password, so nobody can
 * sign in to it.
 */
const STATEMENTS = [
  `create database ${ROLE} strategy file_copy`,
  `alter role ${ROLE} password null`,
];

/**
 * Writes the template of new clusters to `file`. Rejects when the PostgreSQL of this platform is missing or does not
 * run.
 */
export async function makeTemplate(file: string): Promise<void> {
  const installed = await findBinaries();
  const work = await mkdtemp(join(tmpdir(), 'switchboard-template-'));
  try {
    const user = await choosePostgresUser(join(work, 'pg'));
    if (user) await openPathFor(user, work);
    const binaries = await makeRunnable(installed, user, work);
    const cluster = join(work, 'pg');
    const passwordFile = join(work, 'password');
    await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
    await mkdir(cluster, { mode: 0o700 });
    if (user) {
      for (const path of [passwordFile, cluster]) await chown(path, user.uid, user.gid);
    }
    await runInitdb(binaries, cluster, passwordFile, user, false);
    await runSingleUser(binaries, cluster, user, STATEMENTS);
    await writeFile(`${file}.draft`, packCluster(cluster, originOf(installed)));
    await rename(`${file}.draft`, file);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Copies the template into the new folder `cluster`, and gives its superuser `password`. Rejects when there is no
 * template of this PostgreSQL, or when the template is damaged. The files are not on disk yet: see `syncCluster`.
 */
export async function copyTemplate(
  binaries: Binaries,
  cluster: string,
  user: SystemUser | null,
  password: string,
): Promise<void> {
  const archive = await readFile(findTemplate());
  await mkdir(cluster, { mode: 0o700 });
  unpackCluster(archive, originOf(binaries), cluster, user);
  // `user` can enter the folder only after the next line. Otherwise `user` could create links in places where root
  // writes files.
  if (user) await chown(cluster, user.uid, user.gid);
  await runSingleUser(binaries, cluster, user, [
    `alter role ${ROLE} password ${escapeLiteral(password)}`,
  ]);
}

/**
 * Returns the path of the template that `npm ci` makes in `dist`, and that `scripts/build.mjs` keeps there. Works in
 * the compiled code, and in the sources, which tests run. Throws when there is no template, as in the npm package.
 */
function findTemplate(): string {
  const file = ['../../..', '../../../dist']
    .map((folder) => join(import.meta.dirname, folder, 'cluster-template.gz'))
    .find((path) => existsSync(path));
  if (file === undefined) throw new Error('There is no template.');
  return file;
}

/**
 * Returns the inputs that decide the contents of a template. A template that was made from other inputs is not used.
 */
export function originOf({ version }: Binaries): string {
  return [process.platform, process.arch, version, ...INITDB_OPTIONS, ...STATEMENTS].join(' ');
}

import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { escapeLiteral } from 'pg';
import { type Binaries, findBinaries, makeRunnable } from './binaries.js';
import { packCluster, unpackCluster } from './cluster-archive.js';
import { INITDB_OPTIONS, ROLE, runInitdb, runSingleUser } from './initdb.js';
import { type SystemUser, choosePostgresUser, openPathFor } from './system-user.js';

/** Every template has this done after initdb. Its superuser has no password, so nobody can sign in to it. */
const STATEMENTS = [
  `create database ${ROLE} strategy file_copy`,
  `alter role ${ROLE} password null`,
];

/**
 * `npm ci` makes this file, and `scripts/build.mjs` keeps it when it replaces `dist`. It is not in the npm package. The
 * sources, which tests run, are one folder level higher than the compiled code.
 */
const FILE = resolve(
  import.meta.dirname,
  import.meta.dirname.includes(`${sep}dist${sep}`) ? '../../..' : '../../../dist',
  'cluster-template.gz',
);

/** Makes the template of new clusters that the first start copies. Throws when there is no PostgreSQL for this platform. */
export async function makeTemplate(): Promise<void> {
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
    const draft = `${FILE}.draft-${process.pid}`;
    await writeFile(draft, packCluster(cluster, originOf(installed)));
    await rename(draft, FILE);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Copies the template into the new folder `cluster`, and gives its superuser `password`. Rejects when there is no template of
 * this PostgreSQL, or it is damaged. The files are not on disk yet: see `syncCluster`.
 */
export async function copyTemplate(
  binaries: Binaries,
  cluster: string,
  user: SystemUser | null,
  password: string,
): Promise<void> {
  const archive = await readFile(FILE);
  await mkdir(cluster, { mode: 0o700 });
  unpackCluster(archive, originOf(binaries), cluster, user);
  // Until here the folder is closed to that user, who could otherwise put links where root writes.
  if (user) await chown(cluster, user.uid, user.gid);
  await runSingleUser(binaries, cluster, user, [
    `alter role ${ROLE} password ${escapeLiteral(password)}`,
  ]);
}

/** Returns what decides the contents of a template. A template of other contents is not used. */
function originOf({ version }: Binaries): string {
  return [process.platform, process.arch, version, ...INITDB_OPTIONS, ...STATEMENTS].join(' ');
}

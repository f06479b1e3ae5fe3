import { chmod, chown, lchown, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { EmbeddedPostgresError } from './embedded-postgres-error.js';

// The accounts that run PostgreSQL when this process is root, because PostgreSQL refuses to run as root. One of
// them usually exists. Creating an account would change the machine.
const CANDIDATES = ['postgres', '_postgres', 'nobody'];

export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Returns the account that PostgreSQL runs as. Null means the account of this process, which is not root. */
export async function choosePostgresUser(clusterDir: string): Promise<SystemUser | null> {
  const own = process.getuid?.();
  const cluster = await stat(clusterDir).catch(() => null);
  if (own === undefined) return null;
  const users = own === 0 || cluster ? await readUsers() : [];
  if (own !== 0) {
    if (cluster && cluster.uid !== own) {
      throw new EmbeddedPostgresError(
        `The database in ${clusterDir} belongs to ${nameOf(users, cluster.uid)}, and this process ` +
          `runs as ${nameOf(users, own)}. Start Switchboard as root or as that user, ` +
          'or set DATA_DIR to another directory.',
      );
    }
    return null;
  }
  // A database of an ordinary user keeps its owner. Otherwise that user could not open it again.
  if (cluster && cluster.uid !== 0) {
    return { name: nameOf(users, cluster.uid), uid: cluster.uid, gid: cluster.gid };
  }
  for (const name of CANDIDATES) {
    const user = users.find((candidate) => candidate.name === name);
    if (user && user.uid > 0) return user;
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root, and this machine has neither a user "postgres" nor "nobody". ' +
      'Start Switchboard as an ordinary user, or set DATABASE_URL.',
  );
}

/** Gives `user` access to `dir`. Throws an error that names the parent directory that the user cannot enter. */
export async function openPathFor(user: SystemUser, dir: string): Promise<void> {
  for (let parent = dirname(dir); ; parent = dirname(parent)) {
    if (!(await canPass(user, parent))) {
      throw new EmbeddedPostgresError(
        `PostgreSQL refuses to run as root and so runs as ${user.name}, but that user cannot enter ` +
          `${parent}, the parent of the data directory ${dir}. Set DATA_DIR to a directory outside ` +
          `${parent}, such as /var/lib/switchboard, or allow access with: chmod o+x ${parent}`,
      );
    }
    if (parent === dirname(parent)) break;
  }
  if (await canPass(user, dir)) return;
  // Only the group gets access, so the other files in the directory stay closed to everybody else.
  const { uid, mode } = await stat(dir);
  await chown(dir, uid, user.gid);
  await chmod(dir, (mode & 0o777) | 0o010);
}

export async function giveTree(user: SystemUser, path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await giveTree(user, child);
    // Links are not followed, because a link may point anywhere on the machine.
    else await lchown(child, user.uid, user.gid);
  }
  await lchown(path, user.uid, user.gid);
}

async function canPass(user: SystemUser, dir: string): Promise<boolean> {
  const { uid, gid, mode } = await stat(dir);
  if (uid === user.uid) return (mode & 0o100) !== 0;
  if (gid === user.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}

async function readUsers(): Promise<SystemUser[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

function nameOf(users: SystemUser[], uid: number): string {
  return users.find((user) => user.uid === uid)?.name ?? `uid ${uid}`;
}

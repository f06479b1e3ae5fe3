import { randomUUID } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readIfExists } from './data-dir.js';
import { EmbeddedPostgresError, errorCode } from './embedded-postgres-error.js';
import { isRunning, ownIdentity, parseIdentity, type ProcessIdentity } from './process-identity.js';

const POLL_MS = 20;
// The longest wait for the lock. initdb takes less time, even on a slow disk. With a shorter limit, a start would fail
// although it only has to wait for another process to start the database.
const TIMEOUT_MS = 120_000;

interface Holder extends ProcessIdentity {
  readonly token: string;
}

/** Runs `work` while this process holds the lock file. The lock of a crashed process is removed. */
export async function withStartLock<T>(
  path: string,
  log: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  await acquire(path, Date.now() + TIMEOUT_MS, log);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function acquire(path: string, deadline: number, log: (line: string) => void): Promise<void> {
  let announced = false;
  for (;;) {
    if (await tryCreate(path)) return;
    const holder = await readHolder(path);
    if (!holder) continue;
    if (!(await isRunning(holder))) {
      await removeStale(path, holder, deadline, log);
      continue;
    }
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `Process ${holder.pid} has been starting the database for too long. ` +
          `If it is not Switchboard, delete ${path} and start again.`,
      );
    }
    if (!announced) log(`Waiting for process ${holder.pid}, which is starting the database.`);
    announced = true;
    await sleep(POLL_MS);
  }
}

// The file is written under another name, and then linked to `path`. Otherwise other processes could read the file
// before it names its holder.
async function tryCreate(path: string): Promise<boolean> {
  const holder: Holder = { ...(await ownIdentity()), token: randomUUID() };
  const draft = `${path}.draft-${holder.token}`;
  try {
    await writeFile(draft, JSON.stringify(holder), { mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error: unknown) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

// Two processes may find the same dead holder. Without the inner lock, the slower process would delete the new lock of
// the faster process, and both would run initdb. Each dead holder has its own inner lock.
async function removeStale(
  path: string,
  stale: Holder,
  deadline: number,
  log: (line: string) => void,
): Promise<void> {
  const inner = `${path}.${stale.token.slice(0, 8)}`;
  await acquire(inner, deadline, log);
  try {
    if ((await readHolder(path))?.token === stale.token) await rm(path, { force: true });
  } finally {
    await rm(inner, { force: true });
  }
}

async function readHolder(path: string): Promise<Holder | null> {
  const text = await readIfExists(path);
  if (text === null) return null;
  const holder = parseIdentity<Holder>(text);
  // A power cut can leave an incomplete file. Its holder is dead, because a live holder always has a complete file.
  return holder?.token ? holder : { pid: 0, startedAt: null, token: 'unreadable' };
}

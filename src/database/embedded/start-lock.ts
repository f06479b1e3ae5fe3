import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { EmbeddedPostgresError, errorCode } from './embedded-postgres-error.js';
import { isRunning, ownIdentity, parseIdentity, type ProcessIdentity } from './process-identity.js';

const POLL_MS = 20;
// Longer than initdb on a slow disk: giving up early would fail a start that only had to wait.
const TIMEOUT_MS = 120_000;

interface Holder extends ProcessIdentity {
  readonly token: string;
}

/** Runs `work` while no other process runs it on the same lock file, outliving holders that crashed. */
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

// Linking a finished file, rather than creating and then filling one, so that no reader ever meets
// a lock without its holder's name.
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

// Two processes may both have found the same dead holder. Without the inner lock the slower one
// would delete the lock that the faster one has just taken, and both would run initdb. The inner
// lock is named after the dead holder, so whoever has it is the only one who may remove that file.
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
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error: unknown) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  const value = parseJson(text);
  const identity = parseIdentity(value);
  if (identity && typeof value === 'object' && value !== null && 'token' in value) {
    return { ...identity, token: String(value.token) };
  }
  // Torn by a power cut: nobody alive can have written it, for a living holder's file is complete.
  return { pid: 0, startedAt: null, token: 'unreadable' };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

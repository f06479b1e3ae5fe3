import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { errorCode } from './embedded-postgres-error.js';

/** The identity of a process. It is unique even when the system uses the pid again later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The boot id and the clock tick at which the process started. Null on systems without /proc. */
  readonly startedAt: string | null;
}

/** Returns the live process with this pid, or null. A zombie counts as dead, because it holds no files and locks. */
export async function findProcess(pid: number): Promise<ProcessIdentity | null> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  try {
    process.kill(pid, 0);
  } catch (error: unknown) {
    // EPERM means that the process is alive and belongs to another user.
    if (errorCode(error) !== 'EPERM') return null;
  }
  const [stat, boot] = await Promise.all([
    readProc(`/proc/${pid}/stat`),
    readProc('/proc/sys/kernel/random/boot_id'),
  ]);
  if (stat === null) return { pid, startedAt: null };
  // The second field is the command in parentheses, which may contain spaces and parentheses. Counted from the last
  // parenthesis, the state is the first field and the start tick the 20th (proc(5), field 22).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  const tick = fields[19];
  return { pid, startedAt: tick ? `${boot?.trim() ?? ''}:${tick}` : null };
}

/** Returns true when this process is still alive. Without start times, only the pid is compared. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  const found = await findProcess(identity.pid);
  if (!found) return false;
  if (found.startedAt === null || identity.startedAt === null) return true;
  return found.startedAt === identity.startedAt;
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  return (await findProcess(process.pid)) ?? { pid: process.pid, startedAt: null };
}

export async function commandLine(pid: number): Promise<string[] | null> {
  const text = await readProc(`/proc/${pid}/cmdline`);
  return text ? text.split('\0') : null;
}

/** Returns the identity in the text of a file, or null when the file is incomplete, for example after a power cut. */
export function parseIdentity<T extends ProcessIdentity>(text: string): T | null {
  try {
    const value = JSON.parse(text) as T | null;
    return typeof value?.pid === 'number' ? value : null;
  } catch {
    return null;
  }
}

async function readProc(path: string): Promise<string | null> {
  return await readFile(path, 'utf8').catch(() => null);
}

/** Reads and writes the file that names the owner: the Node process that stops the database in `stop()`. */
export class OwnerFile {
  constructor(private readonly path: string) {}

  async findLiving(): Promise<ProcessIdentity | null> {
    const owner = await this.read();
    return owner && (await isRunning(owner)) ? owner : null;
  }

  async claim(): Promise<void> {
    const draft = `${this.path}.${process.pid}`;
    await writeFile(draft, JSON.stringify(await ownIdentity()), { mode: 0o600 });
    await rename(draft, this.path);
  }

  /** Deletes the file, unless another process has become the owner. */
  async release(): Promise<void> {
    const isOwn = isDeepStrictEqual(await this.read(), await ownIdentity());
    if (isOwn) await rm(this.path, { force: true });
  }

  private async read(): Promise<ProcessIdentity | null> {
    // Without a complete file, the database has no owner, and the next start may take it over.
    return parseIdentity(await readFile(this.path, 'utf8').catch(() => ''));
  }
}

import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { errorCode } from './embedded-postgres-error.js';

/** One process, told apart from a later one that was given the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Boot and clock tick at which the process started; null where there is no /proc. */
  readonly startedAt: string | null;
}

/** Finds the living process with this pid. A zombie counts as dead: it holds no file and no lock. */
export async function findProcess(pid: number): Promise<ProcessIdentity | null> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  try {
    process.kill(pid, 0);
  } catch (error: unknown) {
    // EPERM: it lives, and belongs to someone else.
    if (errorCode(error) !== 'EPERM') return null;
  }
  const [stat, boot] = await Promise.all([
    readProc(`/proc/${pid}/stat`),
    readProc('/proc/sys/kernel/random/boot_id'),
  ]);
  if (stat === null) return { pid, startedAt: null };
  // The second field is the command in brackets and may hold spaces and brackets itself, so count
  // from the last bracket: the state comes first, the start tick is the 20th (proc(5), field 22).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  const tick = fields[19];
  return { pid, startedAt: tick ? `${boot?.trim() ?? ''}:${tick}` : null };
}

/** Whether exactly this process still lives; where start times are unknown the pid alone decides. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  const found = await findProcess(identity.pid);
  if (!found) return false;
  if (found.startedAt === null || identity.startedAt === null) return true;
  return found.startedAt === identity.startedAt;
}

/** The identity of this very process, to be left in files that other processes read. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  return (await findProcess(process.pid)) ?? { pid: process.pid, startedAt: null };
}

/** The command line of a process, or null where it cannot be read. */
export async function commandLine(pid: number): Promise<string[] | null> {
  const text = await readProc(`/proc/${pid}/cmdline`);
  return text ? text.split('\0') : null;
}

/** Reads an identity out of parsed JSON; null for anything else. */
export function parseIdentity(value: unknown): ProcessIdentity | null {
  if (typeof value !== 'object' || value === null || !('pid' in value)) return null;
  if (typeof value.pid !== 'number') return null;
  const startedAt = 'startedAt' in value ? value.startedAt : null;
  return { pid: value.pid, startedAt: typeof startedAt === 'string' ? startedAt : null };
}

async function readProc(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return null;
  }
}

/** Names the Node process whose `stop()` stops the database. */
export class OwnerFile {
  constructor(private readonly path: string) {}

  /** Finds the owner if it still lives. */
  async findLiving(): Promise<ProcessIdentity | null> {
    const owner = await this.read();
    return owner && (await isRunning(owner)) ? owner : null;
  }

  /** Makes this process the owner. */
  async claim(): Promise<void> {
    const draft = `${this.path}.${process.pid}`;
    await writeFile(draft, JSON.stringify(await ownIdentity()), { mode: 0o600 });
    await rename(draft, this.path);
  }

  /** Gives ownership up, unless another process has taken it meanwhile. */
  async release(): Promise<void> {
    const [owner, self] = await Promise.all([this.read(), ownIdentity()]);
    if (owner?.pid === self.pid && owner.startedAt === self.startedAt) {
      await rm(this.path, { force: true });
    }
  }

  private async read(): Promise<ProcessIdentity | null> {
    try {
      return parseIdentity(JSON.parse(await readFile(this.path, 'utf8')) as unknown);
    } catch {
      // Missing or torn: then nobody owns the database, and the next start may take it over.
      return null;
    }
  }
}

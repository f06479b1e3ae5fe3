import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { buildTree } from '../../support/process.js';

const run = promisify(execFile);

const root = new URL('../../..', import.meta.url).pathname;
const support = join(root, 'test/embedded/support');
const MODULES = 'dist/src/database/embedded';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface Owner {
  readonly process: ChildProcess;
  readonly url: string;
  readonly firstStart: boolean;
  readonly isOwner: boolean;
  readonly pid: number;
  /** Lists the lines that the process logged until the database had started. */
  readonly lines: readonly string[];
  readonly error?: string;
}

export interface OwnerOptions {
  /** A module that runs before all others, for example a module that kills the process at a certain point. */
  readonly preload?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `off` by default, because tests need no database that survives a power cut. */
  readonly fsync?: 'on' | 'off';
}

/** Creates temporary data directories and starts Node processes that start PostgreSQL in them. */
export class Sandbox {
  private readonly children: ChildProcess[] = [];
  private used: Promise<string> | null = null;

  private constructor(readonly path: string) {}

  /** Copies the built code to a folder that other users can read: child processes run as different users. */
  static async create(): Promise<Sandbox> {
    buildTree();
    const path = await realpath(await mkdtemp(join(tmpdir(), 'switchboard-embedded-')));
    await chmod(path, 0o755);
    const code = join(path, 'code');
    const modules = join(code, MODULES);
    await mkdir(modules, { recursive: true });
    await writeFile(join(code, 'package.json'), '{"type":"module"}');
    await symlink(join(root, 'node_modules'), join(code, 'node_modules'));
    for (const file of await readdir(join(root, MODULES))) {
      if (file.endsWith('.js')) await copyFile(join(root, MODULES, file), join(modules, file));
    }
    for (const file of await readdir(support)) {
      if (file.endsWith('.mjs')) await copyFile(join(support, file), join(code, file));
    }
    return new Sandbox(path);
  }

  /** The path of the template of a cluster. Each owner process copies it. A test must create it first. */
  get template(): string {
    return join(this.path, 'code/dist/cluster-template.gz');
  }

  /** Creates an empty data directory that only `account` can enter. */
  async dataDir(account?: Account): Promise<string> {
    const path = await mkdtemp(join(this.path, 'data-'));
    if (account) await chown(path, account.uid, account.gid);
    return path;
  }

  /** Copies a data directory that was used before, because initdb would take most of a test's time. */
  async usedDataDir(): Promise<string> {
    this.used ??= this.makeUsed();
    const path = await mkdtemp(join(this.path, 'data-'));
    await run('cp', ['-R', `${await this.used}/.`, path]);
    return path;
  }

  /** Starts a Node process that starts the database, and returns when the database has started or failed. */
  async owner(dataDir: string, account?: Account, options: OwnerOptions = {}): Promise<Owner> {
    const child = this.spawnOwner(dataDir, account, options);
    for await (const line of createInterface({ input: child.stdout })) {
      return { ...(JSON.parse(line) as Omit<Owner, 'process'>), process: child };
    }
    throw new Error('The owner process ended without output.');
  }

  /** Starts a process that starts the database. Resolves when the preloaded module has killed it. */
  async killedOwner(dataDir: string, options: OwnerOptions): Promise<void> {
    const child = this.spawnOwner(dataDir, undefined, options);
    const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (signal !== 'SIGKILL') throw new Error('The owner process was not killed.');
  }

  private spawnOwner(
    dataDir: string,
    account: Account | undefined,
    { preload, env = {}, fsync = 'off' }: OwnerOptions,
  ): ChildProcessByStdio<Writable, Readable, null> {
    const code = join(this.path, 'code');
    const program = [join(code, 'owner-process.mjs'), join(code, MODULES, 'embedded-postgres.js')];
    const child = spawn(
      process.execPath,
      [...(preload ? ['--import', join(code, preload)] : []), ...program, dataDir, fsync],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
        cwd: '/',
        detached: true,
        env: { ...process.env, ...env },
        ...account,
      },
    );
    this.children.push(child);
    return child;
  }

  private async makeUsed(): Promise<string> {
    const path = await this.dataDir();
    await stopOwner(await this.owner(path));
    return path;
  }

  /** Kills all remaining processes and removes every directory. */
  async remove(): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL');
    for (const entry of await readdir(this.path)) {
      const pid = postmasterPid(join(this.path, entry));
      if (pid !== null && isServing(pid, this.path)) process.kill(pid, 'SIGQUIT');
      if (pid !== null) await ended(pid);
    }
    await rm(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Returns the pid in `postmaster.pid`, even if that process has ended. Returns null if the file does not exist. */
export function postmasterPid(dataDir: string): number | null {
  try {
    return Number(readFileSync(join(dataDir, 'pg/postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return null;
  }
}

/** Makes the owner stop the database, and resolves when the owner has ended. */
export async function stopOwner(owner: Owner): Promise<void> {
  owner.process.stdin?.write('stop\n');
  await ended(owner.process.pid);
}

export async function kill(pid: number | undefined, signal: NodeJS.Signals): Promise<void> {
  if (pid === undefined) throw new Error('No such process.');
  process.kill(pid, signal);
  await ended(pid);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
  } catch {
    // The process has already ended, or the system has no /proc.
    return process.platform !== 'linux';
  }
}

/** Returns the process group or the user of a process. */
export function processField(pid: number, field: 'pgrp' | 'uid'): number {
  if (field === 'uid') {
    return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  }
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

function isServing(pid: number, path: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(path);
  } catch {
    return process.platform !== 'linux' && isAlive(pid);
  }
}

async function ended(pid: number | undefined): Promise<void> {
  if (pid === undefined) return;
  const deadline = Date.now() + 10_000;
  while (isAlive(pid)) {
    if (Date.now() > deadline) throw new Error(`Process ${pid} does not end.`);
    await sleep(5);
  }
}

/** Inserts a row into the table `kept`, which it creates if necessary. */
export async function insertRow(url: string): Promise<void> {
  await query(url, 'create table if not exists kept (n int); insert into kept values (1)');
}

export async function countRows(url: string): Promise<unknown> {
  return (await query(url, 'select count(*)::int as n from kept'))[0]?.['n'];
}

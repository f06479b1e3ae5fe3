import { type ChildProcess, spawn } from 'node:child_process';
import { chown, open, readFile, rename, stat } from 'node:fs/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, PROGRAM_ENV, program, runProgram } from './binaries.js';
import type { DataDir } from './data-dir.js';
import { EmbeddedPostgresError, programFailure } from './embedded-postgres-error.js';
import { limitMemory } from './memory-limit.js';
import { type ProcessIdentity, commandLine, findProcess, isRunning } from './process-identity.js';
import type { SystemUser } from './system-user.js';

const POLL_MS = 5;
// Recovery reads all WAL since the last checkpoint, and a timeout would discard that work. So the limit is longer than
// any recovery should take.
const START_TIMEOUT_MS = 10 * 60_000;
const FAST_STOP_MS = 10_000;
const IMMEDIATE_STOP_MS = 10_000;
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

export interface Postmaster {
  readonly identity: ProcessIdentity;
  readonly port: number;
  /** The process of the server. Set when this process started the server. */
  readonly child?: ChildProcess;
}

export interface Home {
  readonly dataDir: DataDir;
  readonly installed: Binaries;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
  readonly onLost: () => void;
  readonly onSpawn: () => void;
}

interface StartPlan extends Home {
  /** The folder of the PostgreSQL programs, which `user` can execute. */
  readonly binaries: Binaries;
  readonly user: SystemUser | null;
}

class StartFailure extends Error {
  constructor(readonly output: string) {
    super('PostgreSQL ended while it was starting.');
  }
}

/**
 * Matches errors after which the same command may succeed: another program opened the port, or old backends still run.
 */
const TRANSIENT = /could not bind|pre-existing shared memory block|is another postmaster/i;

export async function startPostmaster(plan: StartPlan): Promise<Postmaster> {
  const deadline = Date.now() + 3_000;
  for (;;) {
    try {
      return await startOnce(plan);
    } catch (error: unknown) {
      if (!(error instanceof StartFailure)) throw error;
      if (!TRANSIENT.test(error.output) || Date.now() > deadline) {
        const { path, cluster, logFile } = plan.dataDir;
        const message = `PostgreSQL ended while it was starting in ${cluster}. The end of ${logFile}:`;
        throw programFailure(path, message, error.output, error);
      }
      await sleep(100);
    }
  }
}

export async function findPostmaster(
  cluster: string,
): Promise<(PostmasterFile & { identity: ProcessIdentity }) | null> {
  const file = await readPostmasterFile(cluster);
  if (!file) return null;
  const identity = await findProcess(file.pid);
  if (!identity) return null;
  // After a reboot, any process may have the pid. When the command line of that process cannot be read, the caller must
  // connect to find out whether the process is the server.
  const command = await commandLine(file.pid);
  if (command && !command.includes(cluster)) return null;
  return { ...file, identity };
}

/** Stops the server, which rolls back open transactions. Resolves when it has ended. */
export async function stopPostmaster(home: Home, { identity }: Postmaster): Promise<void> {
  if (!(await isRunning(identity))) return;
  if (process.platform === 'win32') {
    // Windows has no signals. process.kill would end the server without a shutdown checkpoint.
    const { path, cluster } = home.dataDir;
    const command = ['stop', '-D', cluster, '-m', 'fast', '-w'];
    await runProgram(home.installed, 'pg_ctl', command, null, path);
    return;
  }
  // SIGINT makes the server disconnect its clients. After SIGTERM it would wait until they disconnect.
  signal(identity.pid, 'SIGINT');
  if (await hasEnded(identity, FAST_STOP_MS)) return;
  home.log(
    'The embedded PostgreSQL does not stop. It is killed now, and recovers at the next start.',
  );
  signal(identity.pid, 'SIGQUIT');
  if (await hasEnded(identity, IMMEDIATE_STOP_MS)) return;
  throw new EmbeddedPostgresError(
    `PostgreSQL (process ${identity.pid}) does not stop. Its log: ${home.dataDir.logFile}`,
  );
}

async function startOnce(plan: StartPlan): Promise<Postmaster> {
  const { dataDir, binaries, user } = plan;
  const port = await findFreePort();
  const options = Object.entries({
    listen_addresses: '127.0.0.1',
    port: String(port),
    // The server listens only on TCP. The path of a Unix socket in a deep data directory would exceed the limit of 107
    // bytes.
    unix_socket_directories: '',
    shared_buffers: '64MB',
    max_connections: '50',
    // The default value is for rotating disks. With the default, the planner scans small tables instead of using an
    // index.
    random_page_cost: '1.1',
    // Without this limit, SQL of a tool could fill the disk.
    temp_file_limit: '4GB',
    // In a new database, the planner chooses wrong indexes until there are statistics. So autovacuum runs often.
    autovacuum_naptime: '10s',
    // Errors of PostgreSQL quote values of rows and the text of statements. The service logs unexpected errors itself,
    // and leaves out the values.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    log_lock_waits: 'off',
    ...plan.settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

  const log = await openLog(dataDir, user);
  try {
    if (process.platform === 'win32') return await startWithPgCtl(plan, options, port);
    const command = [program(binaries, 'postgres'), '-D', dataDir.cluster, ...options] as const;
    const [file, ...args] = limitMemory(command);
    const child = spawn(file, args, {
      // Ctrl-C signals the process group of Node, and would stop the database before the last requests are answered.
      detached: true,
      stdio: ['ignore', log.file.fd, log.file.fd],
      cwd: dataDir.path,
      env: { ...PROGRAM_ENV, ...(await ignoreStalePid(dataDir.cluster)) },
      uid: user?.uid,
      gid: user?.gid,
    });
    plan.onSpawn();
    return await waitUntilReady(plan, child, port, log.size);
  } finally {
    await log.file.close();
  }
}

// PostgreSQL refuses to start while the pid in an old postmaster.pid belongs to any process. In a container, this may
// last forever. Deleting the file would also disable the check for old backends that still write. With that pid as
// PG_GRANDPARENT_PID, PostgreSQL skips only the check of the pid (see CreateLockFile in miscinit.c).
async function ignoreStalePid(cluster: string): Promise<NodeJS.ProcessEnv> {
  const file = await readPostmasterFile(cluster);
  return file && !(await findPostmaster(cluster)) ? { PG_GRANDPARENT_PID: String(file.pid) } : {};
}

async function waitUntilReady(
  plan: StartPlan,
  child: ChildProcess,
  port: number,
  logStart: number,
): Promise<Postmaster> {
  let spawnError: Error | null = null;
  child.once('error', (error) => {
    spawnError = error;
  });
  // Without `unref`, the event loop of Node.js would run until PostgreSQL ends.
  child.unref();
  const startedAt = Date.now();
  let nextNotice = startedAt + 5_000;
  for (;;) {
    if (spawnError || child.pid === undefined) {
      await sleep(0);
      throw new EmbeddedPostgresError(
        `PostgreSQL could not be executed${plan.user ? ` as user ${plan.user.name}` : ''}: ` +
          String(spawnError),
        { cause: spawnError },
      );
    }
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new StartFailure(await readLog(plan.dataDir, logStart));
    }
    const file = await readPostmasterFile(plan.dataDir.cluster);
    if (file?.pid === child.pid && file.status === 'ready') {
      const identity = await findProcess(child.pid);
      if (identity) return { identity, port, child };
    }
    if (Date.now() - startedAt > START_TIMEOUT_MS) {
      throw new EmbeddedPostgresError(
        `PostgreSQL (process ${child.pid}) is still not ready. Its log: ${plan.dataDir.logFile}`,
      );
    }
    if (Date.now() > nextNotice) {
      plan.log('The embedded PostgreSQL is still starting; it may be recovering after a crash.');
      nextNotice = Date.now() + 10_000;
    }
    await sleep(POLL_MS);
  }
}

// postgres.exe refuses to run for administrators, so pg_ctl gives it a restricted token. No test covers Windows.
async function startWithPgCtl(
  plan: StartPlan,
  options: string[],
  port: number,
): Promise<Postmaster> {
  const { dataDir, binaries } = plan;
  const quoted = options.map((option) => (option.endsWith('=') ? `"${option}"` : option)).join(' ');
  const command = ['start', '-D', dataDir.cluster, '-l', dataDir.logFile, '-w', '-o', quoted];
  await runProgram(binaries, 'pg_ctl', command, null, dataDir.path);
  const file = await readPostmasterFile(dataDir.cluster);
  const identity = file && (await findProcess(file.pid));
  if (!identity) throw new StartFailure(await readLog(dataDir, 0));
  return { identity, port };
}

async function openLog(
  dataDir: DataDir,
  user: SystemUser | null,
): Promise<{ file: Awaited<ReturnType<typeof open>>; size: number }> {
  const old = await stat(dataDir.logFile).catch(() => null);
  if (old && old.size > LOG_LIMIT_BYTES) await rename(dataDir.logFile, `${dataDir.logFile}.1`);
  const file = await open(dataDir.logFile, 'a', 0o600);
  // The user of the cluster must be able to append to the log when that user starts Switchboard.
  if (user) await chown(dataDir.logFile, user.uid, user.gid);
  return { file, size: (await file.stat()).size };
}

async function readLog(dataDir: DataDir, from: number): Promise<string> {
  const text = await readFile(dataDir.logFile).catch(() => Buffer.alloc(0));
  return text.subarray(from).toString('utf8');
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

function signal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}

async function hasEnded(identity: ProcessIdentity, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (await isRunning(identity)) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** The contents of `postmaster.pid`, which a running PostgreSQL writes. */
interface PostmasterFile {
  readonly pid: number;
  readonly port: number | null;
  readonly status: 'starting' | 'stopping' | 'ready' | null;
}

async function readPostmasterFile(cluster: string): Promise<PostmasterFile | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => null);
  if (text === null) return null;
  // The lines are (miscadmin.h): pid, data directory, start time, port, socket directory, listen address, shared memory
  // key, status. A single-user backend writes its pid negated.
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Math.abs(Number(lines[0]));
  if (!Number.isSafeInteger(pid) || pid === 0) return null;
  const status = lines[7];
  return {
    pid,
    port: Number(lines[3]) || null,
    status: status === 'starting' || status === 'stopping' || status === 'ready' ? status : null,
  };
}

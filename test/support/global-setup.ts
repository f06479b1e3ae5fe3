import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { prepareDatabase } from '../../src/database/setup/prepare-database.js';
import { publishTemplateAccess, SHARED_PREFIX } from './database.js';
import { findDatabases, findFiles, findProcesses, findWorkers } from './leftovers.js';
import { findRedisServer } from './find-program.js';

/**
 * Starts the resources that the end-to-end tests share: a PostgreSQL with a migrated template database, a Redis, and
 * a folder for temporary files. Test processes inherit TEST_TEMPLATE_URL, TEST_REDIS_URL and TMPDIR. The teardown
 * fails the run when a test has left a file, a database or a process behind.
 */
export default async function setUp(): Promise<(() => Promise<void>) | undefined> {
  // Every project of Vitest calls this function. The first call starts the servers for all projects.
  if (process.env.TEST_TEMPLATE_URL) return undefined;
  const undo: (() => Promise<void>)[] = [];
  const tearDown = async (): Promise<void> => {
    delete process.env.TEST_TEMPLATE_URL;
    for (const action of undo.toReversed()) await action();
  };
  try {
    await start(undo);
    return tearDown;
  } catch (error) {
    await tearDown();
    throw error;
  }
}

const MEMORY_FOLDER = '/dev/shm';
const NEEDED_MEMORY = 2 * 1024 ** 3;

/**
 * Returns a folder in memory if there is one with enough space. On a disk, the creation and removal of the 400 files of
 * each test database takes several times longer than in memory.
 */
async function databaseParent(): Promise<string> {
  const memory = await statfs(MEMORY_FOLDER).catch(() => undefined);
  return memory && memory.bavail * memory.bsize > NEEDED_MEMORY ? MEMORY_FOLDER : tmpdir();
}

/**
 * Creates a folder for the socket of PostgreSQL. A statement through the socket takes half the processor time of a
 * statement through TCP. Returns undefined on Windows.
 */
async function createSocketFolder(parent: string): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined;
  const folder = join(parent, 'socket');
  await mkdir(folder);
  // When the tests run as root, PostgreSQL runs as another user, who must be able to write here.
  await chmod(folder, 0o777);
  return folder;
}

/**
 * Prints the files, databases and processes that the tests left behind, and makes the run fail. Vitest only logs errors
 * of a teardown.
 */
async function reportLeftovers(folder: string, templateUrl: string): Promise<void> {
  const found = [
    ...(await findFiles(folder)),
    ...(await findDatabases(templateUrl)),
    ...findProcesses(folder),
  ];
  if (found.length === 0) return;
  process.exitCode = 1;
  console.error(`\nThe tests left ${found.length} things behind:\n  ${found.join('\n  ')}\n`);
}

/** Starts everything and adds to `undo` a function that stops it. */
async function start(undo: (() => Promise<void>)[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-test-'));
  // When the tests run as root, PostgreSQL runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o711);
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const databaseFolder = await mkdtemp(join(await databaseParent(), 'switchboard-test-'));
  await chmod(databaseFolder, 0o711);
  undo.push(() => rm(databaseFolder, { recursive: true, force: true }));
  const addPid = killOnExit([folder, databaseFolder]);
  let serverUrl = process.env.DATABASE_URL;
  let socketFolder: string | undefined;
  if (!serverUrl) {
    socketFolder = await createSocketFolder(folder);
    const postgres = await EmbeddedPostgres.start({
      dataDir: join(databaseFolder, 'postgres'),
      settings: {
        fsync: 'off',
        full_page_writes: 'off',
        max_connections: '1000',
        max_wal_size: '256MB',
        // Autovacuum is rare, because it starts a process for each database, and each test file has a database.
        autovacuum_naptime: '5min',
        // With the default number of iterations, hashing the password would take a fifth of the processor time of a new
        // connection.
        scram_iterations: '1',
        ...(socketFolder && { unix_socket_directories: socketFolder }),
      },
    });
    undo.push(() => postgres.stop());
    addPid(postgres.pid);
    serverUrl = postgres.url;
  }
  const template = `switchboard_template_${process.pid}`;
  const owner = new Client({ connectionString: serverUrl });
  await owner.connect();
  await owner.query(`create database ${template}`);
  await owner.end();
  const templateUrl = new URL(serverUrl);
  templateUrl.pathname = `/${template}`;
  const access = await prepareDatabase(templateUrl.href, { waitMs: 5000, log: () => undefined });
  publishTemplateAccess({ ...access, host: socketFolder ?? access.host });
  process.env.TEST_TEMPLATE_URL = templateUrl.href;
  undo.push(() => dropDatabases(serverUrl, template));
  const temporary = join(folder, 'tmp');
  await mkdir(temporary, { mode: 0o711 });
  process.env.TMPDIR = temporary;
  process.env.TEST_SHARED_FOLDER = join(folder, 'shared');
  await mkdir(process.env.TEST_SHARED_FOLDER);
  undo.push(() => reportLeftovers(temporary, templateUrl.href));

  if (process.env.REDIS_URL) {
    process.env.TEST_REDIS_URL = process.env.REDIS_URL;
  } else {
    const redis = await startRedis(folder);
    if (redis) {
      addPid(redis.pid);
      undo.push(redis.stop);
      process.env.TEST_REDIS_URL = redis.url;
    }
  }
}

/**
 * Returns a function that takes ids of processes. They are killed, and the folders are removed, when Vitest ends
 * without a teardown, for example after Ctrl-C.
 */
function killOnExit(folders: readonly string[]): (pid: number) => void {
  const pids: number[] = [];
  process.once('exit', () => {
    // A teardown has removed the folders, and the ids may belong to other processes now.
    if (!folders.some((folder) => existsSync(folder))) return;
    for (const pid of pids) kill(pid, 'SIGQUIT');
    // A worker in the middle of a test would continue, and wait for these servers forever.
    for (const pid of findWorkers(folders[0]!)) kill(pid, 'SIGKILL');
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  return (pid) => pids.push(pid);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}

/** Drops the template and the databases that test files share. */
async function dropDatabases(serverUrl: string, template: string): Promise<void> {
  const owner = new Client({ connectionString: serverUrl });
  await owner.connect();
  const { rows } = await owner.query<{ name: string }>(
    `select datname as name from pg_database where datname = $1 or starts_with(datname, $2)`,
    [template, `${SHARED_PREFIX}${template}_`],
  );
  for (const { name } of rows) await owner.query(`drop database ${name} with (force)`);
  await owner.end();
}

async function startRedis(
  folder: string,
): Promise<{ url: string; pid: number; stop: () => Promise<void> } | undefined> {
  const binary = findRedisServer();
  if (!binary) return undefined;
  const port = await freePort();
  const child = spawn(
    binary,
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder],
    { stdio: 'ignore' },
  );
  await untilListening(port);
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid!, stop: () => stopProcess(child) };
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}

/**
 * Returns a port on which nothing listens. It is below the ports that systems give to outgoing connections, so that no
 * connection takes it before it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 32_768);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const listening = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.end());
    });
    if (listening) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Nothing listens on port ${port}.`);
}

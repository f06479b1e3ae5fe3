import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultDataDir } from '../../src/config/env.js';
import { EmbeddedPostgresUnsupported } from '../../src/database/embedded/embedded-postgres-error.js';
import { EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import {
  type Account,
  Sandbox,
  isAlive,
  kill,
  postmasterPid,
  processField,
  query,
  stopOwner,
} from './support/sandbox.js';

const isRoot = process.getuid?.() === 0;
const own: Account = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
const settings = { fsync: 'off' };

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.create();
});
afterAll(async () => {
  await sandbox.remove();
});

const start = (dataDir: string, log?: (line: string) => void) =>
  EmbeddedPostgres.start({ dataDir, settings, ...(log ? { log } : {}) });
const insert = (url: string) =>
  query(url, 'create table if not exists kept (n int); insert into kept values (1)');
const count = async (url: string) =>
  (await query(url, 'select count(*)::int as n from kept'))[0]?.['n'];

// As root the account changes, so the same behaviour is shown for an ordinary user too.
const accounts: [string, Account][] = isRoot
  ? [
      ['root', own],
      ['an ordinary user', { uid: 65534, gid: 65534 }],
    ]
  : [['the current user', own]];

describe.each(accounts)('EmbeddedPostgres run by %s', (_name, account) => {
  it('makes a database, keeps its rows over a restart, and never runs as root', async () => {
    const dataDir = await sandbox.dataDir(account);
    const first = await sandbox.owner(dataDir, account);
    expect(first).toMatchObject({ firstStart: true, isOwner: true });
    expect(first.url).toMatch(/^postgres:\/\/switchboard:[\w-]{32}@127\.0\.0\.1:\d+\/switchboard$/);
    expect(processField(first.pid, 'uid')).not.toBe(0);
    expect((await stat(join(dataDir, 'pg.password'))).mode & 0o777).toBe(0o600);
    await insert(first.url);
    await stopOwner(first);
    expect(isAlive(first.pid)).toBe(false);
    expect(await readdir(dataDir)).toEqual(['pg', 'pg.password', 'postgres.log']);

    const second = await sandbox.owner(dataDir, account);
    expect(second).toMatchObject({ firstStart: false, isOwner: true });
    expect(await count(second.url)).toBe(1);
    await stopOwner(second);
  });

  it('takes over after kill -9 of its owner, with every row, and then really stops', async () => {
    const dataDir = await sandbox.dataDir(account);
    const killed = await sandbox.owner(dataDir, account);
    await insert(killed.url);
    await kill(killed.process.pid, 'SIGKILL');
    expect(isAlive(killed.pid)).toBe(true);

    const heir = await sandbox.owner(dataDir, account);
    expect(heir).toMatchObject({ pid: killed.pid, firstStart: false, isOwner: true });
    expect(await count(heir.url)).toBe(1);
    await stopOwner(heir);
    expect(isAlive(killed.pid)).toBe(false);
  });
});

describe('EmbeddedPostgres', () => {
  it('shares the server of a living process, and leaves it running', async () => {
    const dataDir = await sandbox.usedDataDir();
    const owner = await sandbox.owner(dataDir);
    const guest = await start(dataDir);
    expect(guest).toMatchObject({ url: owner.url, firstStart: false, isOwner: false });
    await insert(guest.url);
    await guest.stop();
    expect(await count(owner.url)).toBe(1);
    await stopOwner(owner);
    expect(isAlive(owner.pid)).toBe(false);
  });

  it('does not mistake a process with the recycled pid of its owner for the owner', async () => {
    const dataDir = await sandbox.usedDataDir();
    const killed = await sandbox.owner(dataDir);
    await kill(killed.process.pid, 'SIGKILL');
    const stranger = { pid: process.pid, startedAt: 'another boot:1' };
    await writeFile(join(dataDir, 'pg.owner'), JSON.stringify(stranger));
    const heir = await start(dataDir);
    expect(heir.isOwner).toBe(true);
    await heir.stop();
    expect(isAlive(killed.pid)).toBe(false);
  });

  it('recovers after kill -9 of the server', async () => {
    const dataDir = await sandbox.usedDataDir();
    const lines: string[] = [];
    const first = await start(dataDir, (line) => lines.push(line));
    await insert(first.url);
    await kill(first.pid, 'SIGKILL');
    const second = await start(dataDir);
    expect(second).toMatchObject({ firstStart: false, isOwner: true });
    expect(second.pid).not.toBe(first.pid);
    expect(await count(second.url)).toBe(1);
    expect(lines.at(-1)).toContain('ended unexpectedly (SIGKILL)');
    // The first handle knows its own server only, and that is gone.
    await first.stop();
    expect(await count(second.url)).toBe(1);
    await second.stop();
  });

  it('starts where a postmaster.pid names a living process that is no server of this database', async () => {
    const dataDir = await sandbox.usedDataDir();
    const first = await start(dataDir);
    const pidFile = join(dataDir, 'pg/postmaster.pid');
    const left = await readFile(pidFile, 'utf8');
    const uid = processField(first.pid, 'uid');
    await kill(first.pid, 'SIGKILL');
    // Of the same user, and not our own pid: PostgreSQL by itself would refuse to start beside it.
    const stranger = spawn('sleep', ['60'], { stdio: 'ignore', ...(isRoot ? { uid } : {}) });
    try {
      await writeFile(pidFile, left.replace(/^\d+/, String(stranger.pid)));
      const second = await start(dataDir);
      expect(second.isOwner).toBe(true);
      await second.stop();
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  it('waits for a server that is shutting down, and then starts its own', async () => {
    const dataDir = await sandbox.usedDataDir();
    const first = await start(dataDir);
    await insert(first.url);
    // SIGTERM is the smart shutdown: the server is "stopping" until this client leaves.
    const client = new Client({ connectionString: first.url });
    await client.connect();
    process.kill(first.pid, 'SIGTERM');
    const next = start(dataDir);
    await sleep(300);
    expect(isAlive(first.pid)).toBe(true);
    await client.end();
    const second = await next;
    expect(second.isOwner).toBe(true);
    expect(second.pid).not.toBe(first.pid);
    expect(await count(second.url)).toBe(1);
    await second.stop();
  });

  it('removes what an interrupted initdb left behind', async () => {
    const dataDir = await sandbox.dataDir();
    await mkdir(join(dataDir, 'pg.init/base'), { recursive: true });
    await writeFile(join(dataDir, 'pg.init/PG_VERSION'), '18\n');
    await mkdir(join(dataDir, 'pg.init-1234'));
    const database = await start(dataDir);
    expect(database.firstStart).toBe(true);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('pg.init'))).toEqual([]);
    await database.stop();
  });

  it('makes one database when four processes start at the same moment', async () => {
    const dataDir = await sandbox.dataDir();
    // The lock of a process that died while it started: all four have to agree who removes it.
    const dead = { pid: 999_999_999, startedAt: null, token: '0123456789' };
    await writeFile(join(dataDir, 'pg.lock'), JSON.stringify(dead));
    const owners = await Promise.all([1, 2, 3, 4].map(() => sandbox.owner(dataDir)));
    expect(owners.filter((owner) => owner.error)).toEqual([]);
    expect(owners.filter((owner) => owner.firstStart)).toHaveLength(1);
    expect(owners.filter((owner) => owner.isOwner)).toHaveLength(1);
    expect(new Set(owners.map((owner) => owner.url)).size).toBe(1);
    for (const guest of owners.filter((owner) => !owner.isOwner)) await stopOwner(guest);
    for (const owner of owners.filter((owner) => owner.isOwner)) {
      await insert(owner.url);
      await stopOwner(owner);
      expect(isAlive(owner.pid)).toBe(false);
    }
    expect(await readdir(dataDir)).toEqual(['pg', 'pg.password', 'postgres.log']);
  });

  it('survives Ctrl-C, which signals the whole process group of its owner', async () => {
    const dataDir = await sandbox.usedDataDir();
    const owner = await sandbox.owner(dataDir);
    const group = processField(owner.process.pid ?? 0, 'pgrp');
    expect(processField(owner.pid, 'pgrp')).toBe(owner.pid);
    expect(group).not.toBe(owner.pid);
    await kill(-group, 'SIGINT').catch(() => undefined);
    expect(await query(owner.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await (await start(dataDir)).stop();
    expect(isAlive(owner.pid)).toBe(false);
  });

  it('refuses a database of another major version', async () => {
    const dataDir = await sandbox.dataDir();
    await mkdir(join(dataDir, 'pg'));
    await writeFile(join(dataDir, 'pg/PG_VERSION'), '17\n');
    await expect(start(dataDir)).rejects.toThrow(
      /was made by PostgreSQL 17, but the built-in one is PostgreSQL 18/,
    );
  });

  it('deletes nothing that it does not know', async () => {
    const dataDir = await sandbox.dataDir();
    await mkdir(join(dataDir, 'pg'));
    await writeFile(join(dataDir, 'pg/thesis.txt'), 'only copy');
    await expect(start(dataDir)).rejects.toThrow(/exists but holds no PostgreSQL database/);
    expect(await readFile(join(dataDir, 'pg/thesis.txt'), 'utf8')).toBe('only copy');
  });

  it('shows the end of the log when PostgreSQL does not start', async () => {
    const dataDir = await sandbox.usedDataDir();
    const bad = { dataDir, settings: { ...settings, work_mem: 'plenty' } };
    await expect(EmbeddedPostgres.start(bad)).rejects.toThrow(
      /ended while it was starting[\s\S]*postgres\.log:[\s\S]*invalid value for parameter "work_mem"/,
    );
    // The failed start holds nothing that a corrected one would need.
    const database = await start(dataDir);
    await database.stop();
  });

  it('says which file is missing when the password is gone', async () => {
    const dataDir = await sandbox.usedDataDir();
    await (await start(dataDir)).stop();
    await rm(join(dataDir, 'pg.password'));
    await expect(start(dataDir)).rejects.toThrow(/password .* is missing: .*pg\.password/);
  });

  it('refuses a data directory that is a file', async () => {
    const dataDir = join(await sandbox.dataDir(), 'file');
    await writeFile(dataDir, '');
    await expect(start(dataDir)).rejects.toThrow(/a part of that path is a file.*DATA_DIR/);
  });

  it('tells a person without binaries what to do', () => {
    const error = new EmbeddedPostgresUnsupported('There is no built-in PostgreSQL for plan9-x64.');
    expect(error.message).toContain(
      'DATABASE_URL=postgres://switchboard:switchboard@127.0.0.1:5432',
    );
    expect(error.message).toContain('docker compose up -d postgres');
  });

  it('keeps data outside root’s home by default', () => {
    expect(defaultDataDir()).toBe(isRoot ? '/var/lib/switchboard' : join(process.cwd(), '.data'));
  });

  if (isRoot) {
    it('names the directory that is closed to the account PostgreSQL runs as', async () => {
      const home = await sandbox.dataDir();
      await chmod(home, 0o700);
      await expect(start(join(home, 'data'))).rejects.toThrow(
        new RegExp(`${home} is closed to that user.*DATA_DIR`),
      );
      expect(existsSync(join(home, 'data/pg'))).toBe(false);
    });

    it('lets root open the database of an ordinary user, and that user afterwards', async () => {
      const nobody = { uid: 65534, gid: 65534 };
      const dataDir = await sandbox.dataDir(nobody);
      await stopOwner(await sandbox.owner(dataDir, nobody));
      const asRoot = await start(dataDir);
      expect(processField(postmasterPid(dataDir) ?? 0, 'uid')).toBe(nobody.uid);
      await asRoot.stop();
      const again = await sandbox.owner(dataDir, nobody);
      expect(again.error).toBeUndefined();
      await stopOwner(again);
    });

    it('tells an ordinary user that a directory of root is not writable', async () => {
      const dataDir = await sandbox.dataDir();
      await chmod(dataDir, 0o755);
      const { error } = await sandbox.owner(dataDir, { uid: 65534, gid: 65534 });
      expect(error).toContain('is not writable for this process (uid 65534)');
    });
  }
});

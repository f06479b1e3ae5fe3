import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultDataDir } from '../../src/config/data-dir.js';
import { EmbeddedPostgresUnsupported } from '../../src/database/embedded/embedded-postgres-error.js';
import { EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { waitFor } from '../support/wait-for.js';
import {
  type Account,
  Sandbox,
  countRows,
  insertRow,
  isAlive,
  kill,
  postmasterPid,
  processField,
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

// Root starts PostgreSQL as another user, so these tests run for root and for an ordinary user.
const accounts: [string, Account][] = isRoot
  ? [
      ['root', own],
      ['an ordinary user', { uid: 65534, gid: 65534 }],
    ]
  : [['the current user', own]];

describe.each(accounts)('EmbeddedPostgres run by %s', (_name, account) => {
  it('creates a database, keeps its rows across a restart, and never runs as root', async () => {
    const dataDir = await sandbox.dataDir(account);
    const first = await sandbox.owner(dataDir, account);
    expect(first).toMatchObject({ firstStart: true, isOwner: true });
    expect(first.url).toMatch(/^postgres:\/\/switchboard:[\w-]{32}@127\.0\.0\.1:\d+\/switchboard$/);
    expect(processField(first.pid, 'uid')).not.toBe(0);
    expect((await stat(join(dataDir, 'pg.password'))).mode & 0o777).toBe(0o600);
    await insertRow(first.url);
    await stopOwner(first);
    expect(isAlive(first.pid)).toBe(false);
    expect(await readdir(dataDir)).toEqual(['pg', 'pg.password', 'postgres.log']);

    const second = await sandbox.owner(dataDir, account);
    expect(second).toMatchObject({ firstStart: false, isOwner: true });
    expect(await countRows(second.url)).toBe(1);
    await stopOwner(second);
  });

  it('is taken over by a new owner after kill -9 of the old one, keeps every row, and ends when the new owner stops it', async () => {
    const dataDir = await sandbox.dataDir(account);
    const killed = await sandbox.owner(dataDir, account);
    await insertRow(killed.url);
    await kill(killed.process.pid, 'SIGKILL');
    expect(isAlive(killed.pid)).toBe(true);

    const heir = await sandbox.owner(dataDir, account);
    expect(heir).toMatchObject({ pid: killed.pid, firstStart: false, isOwner: true });
    expect(await countRows(heir.url)).toBe(1);
    await stopOwner(heir);
    expect(isAlive(killed.pid)).toBe(false);
  });
});

describe('EmbeddedPostgres', () => {
  it('shares the server of a running process, and does not stop it', async () => {
    const dataDir = await sandbox.usedDataDir();
    const owner = await sandbox.owner(dataDir);
    const guest = await start(dataDir);
    expect(guest).toMatchObject({ url: owner.url, firstStart: false, isOwner: false });
    await insertRow(guest.url);
    await guest.stop();
    expect(await countRows(owner.url)).toBe(1);
    await stopOwner(owner);
    expect(isAlive(owner.pid)).toBe(false);
  });

  it('notifies the other process when the owner stops the shared server', async () => {
    const dataDir = await sandbox.usedDataDir();
    const owner = await sandbox.owner(dataDir);
    const lines: string[] = [];
    const lost = new Promise<void>((onLost) => {
      void EmbeddedPostgres.start({ dataDir, settings, log: (line) => lines.push(line), onLost });
    });
    await waitFor(() => lines.some((line) => line.startsWith('Sharing')));
    await stopOwner(owner);
    await lost;
    expect(lines.at(-1)).toContain('was stopped by the process that ran it');
  });

  it('refuses a database of another major version', async () => {
    const dataDir = await sandbox.dataDir();
    await mkdir(join(dataDir, 'pg'));
    await writeFile(join(dataDir, 'pg/PG_VERSION'), '17\n');
    await expect(start(dataDir)).rejects.toThrow(
      /was created by PostgreSQL 17, but the built-in one is PostgreSQL 18/,
    );
  });

  it('does not delete unknown files', async () => {
    const dataDir = await sandbox.dataDir();
    await mkdir(join(dataDir, 'pg'));
    await writeFile(join(dataDir, 'pg/thesis.txt'), 'only copy');
    await expect(start(dataDir)).rejects.toThrow(/exists but contains no PostgreSQL database/);
    expect(await readFile(join(dataDir, 'pg/thesis.txt'), 'utf8')).toBe('only copy');
  });

  it('shows the end of the log when PostgreSQL does not start', async () => {
    const dataDir = await sandbox.usedDataDir();
    const bad = { dataDir, settings: { ...settings, work_mem: 'plenty' } };
    await expect(EmbeddedPostgres.start(bad)).rejects.toThrow(
      /ended while it was starting[\s\S]*postgres\.log:[\s\S]*invalid value for parameter "work_mem"/,
    );
    // The failed start must not leave a lock that blocks the start after the correction.
    const database = await start(dataDir);
    await database.stop();
  });

  it('names the missing file when the password was deleted', async () => {
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

  it('says what to do when no binaries exist for the platform', () => {
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
    it('names the directory that the user of PostgreSQL cannot enter', async () => {
      const home = await sandbox.dataDir();
      await chmod(home, 0o700);
      await expect(start(join(home, 'data'))).rejects.toThrow(
        new RegExp(`that user cannot enter ${home},.*DATA_DIR`),
      );
      expect(existsSync(join(home, 'data/pg'))).toBe(false);
    });

    it('lets root start the database of an ordinary user, and lets that user start it afterwards', async () => {
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

    it('says that a directory of root is not writable for an ordinary user', async () => {
      const dataDir = await sandbox.dataDir();
      await chmod(dataDir, 0o755);
      const { error } = await sandbox.owner(dataDir, { uid: 65534, gid: 65534 });
      expect(error).toContain('is not writable for this process (uid 65534)');
    });
  }
});

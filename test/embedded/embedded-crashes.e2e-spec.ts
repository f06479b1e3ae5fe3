import { spawn } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import {
  Sandbox,
  countRows,
  insertRow,
  isAlive,
  kill,
  processField,
  query,
  stopOwner,
} from './support/sandbox.js';

const isRoot = process.getuid?.() === 0;
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

describe('EmbeddedPostgres after crashes and at simultaneous starts', () => {
  it('becomes the owner when another process has the pid of the killed owner', async () => {
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
    await insertRow(first.url);
    await kill(first.pid, 'SIGKILL');
    const second = await start(dataDir);
    expect(second).toMatchObject({ firstStart: false, isOwner: true });
    expect(second.pid).not.toBe(first.pid);
    expect(await countRows(second.url)).toBe(1);
    expect(lines.at(-1)).toContain('ended unexpectedly (SIGKILL)');
    // The server of the first handle has ended. So stop() must not end the server of the second handle.
    await first.stop();
    expect(await countRows(second.url)).toBe(1);
    await second.stop();
  });

  it('starts although postmaster.pid names a running process that is not a server of this database', async () => {
    const dataDir = await sandbox.usedDataDir();
    const first = await start(dataDir);
    const pidFile = join(dataDir, 'pg/postmaster.pid');
    const left = await readFile(pidFile, 'utf8');
    const uid = processField(first.pid, 'uid');
    await kill(first.pid, 'SIGKILL');
    // Another process of the same user has this pid, so PostgreSQL alone would refuse to start.
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

  it('waits for a server that is shutting down, and then starts a new server', async () => {
    const dataDir = await sandbox.usedDataDir();
    const first = await start(dataDir);
    await insertRow(first.url);
    // SIGTERM is the smart shutdown: the server keeps running until this client disconnects.
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
    expect(await countRows(second.url)).toBe(1);
    await second.stop();
  });

  it('removes the files of an interrupted initdb', async () => {
    const dataDir = await sandbox.dataDir();
    await mkdir(join(dataDir, 'pg.init/base'), { recursive: true });
    await writeFile(join(dataDir, 'pg.init/PG_VERSION'), '18\n');
    await mkdir(join(dataDir, 'pg.init-1234'));
    const database = await start(dataDir);
    expect(database.firstStart).toBe(true);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('pg.init'))).toEqual([]);
    await database.stop();
  });

  it('creates one database when four processes start simultaneously', async () => {
    const dataDir = await sandbox.dataDir();
    // This is the lock of a process that died during its start. Only one of the four processes may remove it.
    const dead = { pid: 999_999_999, startedAt: null, token: '0123456789' };
    await writeFile(join(dataDir, 'pg.lock'), JSON.stringify(dead));
    const owners = await Promise.all([1, 2, 3, 4].map(() => sandbox.owner(dataDir)));
    expect(owners.filter((owner) => owner.error)).toEqual([]);
    expect(owners.filter((owner) => owner.firstStart)).toHaveLength(1);
    expect(owners.filter((owner) => owner.isOwner)).toHaveLength(1);
    expect(new Set(owners.map((owner) => owner.url)).size).toBe(1);
    for (const guest of owners.filter((owner) => !owner.isOwner)) await stopOwner(guest);
    for (const owner of owners.filter((owner) => owner.isOwner)) {
      await insertRow(owner.url);
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
});

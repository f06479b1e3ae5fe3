import { chmod, chown, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findBinaries, makeRunnable } from '../../src/database/embedded/binaries.js';
import { packCluster, unpackCluster } from '../../src/database/embedded/cluster-archive.js';
import { makeTemplate, originOf } from '../../src/database/embedded/cluster-template.js';
import { runSingleUser } from '../../src/database/embedded/initdb.js';
import { choosePostgresUser } from '../../src/database/embedded/system-user.js';
import { type Owner, Sandbox, countRows, insertRow, query, stopOwner } from './support/sandbox.js';

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };

let sandbox: Sandbox;
let template: Buffer;
let templateId: unknown;
beforeAll(async () => {
  sandbox = await Sandbox.create();
  await makeTemplate(sandbox.template);
  template = await readFile(sandbox.template);
  const owner = await sandbox.owner(await sandbox.dataDir());
  templateId = await systemId(owner);
  await stopOwner(owner);
});
afterAll(async () => {
  await sandbox.remove();
});
beforeEach(async () => {
  await writeFile(sandbox.template, template);
  await chmod(sandbox.template, 0o644);
});

/**
 * Reads the system identifier. It is the same for all copies of one template. Each run of initdb creates a new system
 * identifier.
 */
async function systemId({ url }: Owner): Promise<unknown> {
  return (await query(url, 'select system_identifier from pg_control_system()'))[0];
}

/**
 * Starts a database in a new folder. Expects that initdb created the database, and that no log line mentions the
 * template.
 */
async function expectInitdb(account?: { uid: number; gid: number }): Promise<void> {
  const dataDir = await sandbox.dataDir(account);
  const owner = await sandbox.owner(dataDir, account);
  expect(owner).toMatchObject({ firstStart: true });
  expect(owner.lines).toEqual([
    `Creating a new PostgreSQL 18 database in ${dataDir}.`,
    expect.stringMatching(/^The embedded PostgreSQL listens on/),
  ]);
  expect(await systemId(owner)).not.toEqual(templateId);
  await insertRow(owner.url);
  await stopOwner(owner);
  expect(await readdir(dataDir)).toEqual(['pg', 'pg.password', 'postgres.log']);
}

describe('the template of new databases', () => {
  it.each(isRoot ? [undefined, nobody] : [undefined])(
    'is copied, and each copy gets a different password (account %j)',
    async (account) => {
      const dataDirs = [await sandbox.dataDir(account), await sandbox.dataDir(account)];
      const owners: Owner[] = [];
      for (const dataDir of dataDirs) owners.push(await sandbox.owner(dataDir, account));
      const [first, second] = owners.map(({ url }) => new URL(url)) as [URL, URL];
      for (const owner of owners) expect(await systemId(owner)).toEqual(templateId);
      expect(first.password).not.toBe(second.password);
      first.port = second.port;
      await expect(query(first.href, 'select 1')).rejects.toThrow('password authentication failed');
      await insertRow(second.href);
      expect(await countRows(second.href)).toBe(1);
      for (const owner of owners) await stopOwner(owner);
      for (const dataDir of dataDirs) {
        expect(await readdir(dataDir)).toEqual(['pg', 'pg.password', 'postgres.log']);
      }
    },
  );

  it('has no password, so that nobody can sign in to it', async () => {
    const dataDir = await sandbox.dataDir();
    await chmod(dataDir, 0o711);
    const cluster = join(dataDir, 'pg');
    const user = await choosePostgresUser(cluster);
    const binaries = await makeRunnable(await findBinaries(), user, dataDir);
    await mkdir(cluster, { mode: 0o700 });
    unpackCluster(template, originOf(binaries), cluster, user);
    if (user) await chown(cluster, user.uid, user.gid);
    const accounts = 'select from pg_authid where rolcanlogin';
    const refuse = (found: string): string =>
      `do $$ begin if exists (${found}) then raise 'found'; end if; end $$`;
    await runSingleUser(binaries, cluster, user, [refuse(`${accounts} and rolpassword <> ''`)]);
    await expect(runSingleUser(binaries, cluster, user, [refuse(accounts)])).rejects.toThrow(
      'found',
    );
  });

  it('is used only when it is undamaged and made by the same version of PostgreSQL', async () => {
    const origin = originOf(await findBinaries());
    expect(gunzipSync(template).toString('latin1')).toContain(origin);
    const broken = await sandbox.dataDir();
    await writeFile(join(broken, 'PG_VERSION'), '18\n');
    const changed = Buffer.from(template);
    changed[changed.length >> 1]! ^= 1;
    const other = gunzipSync(template);
    other.write('19', other.indexOf('18.'));
    for (const content of [
      template.subarray(0, template.length >> 1),
      Buffer.alloc(0),
      changed,
      gzipSync(other),
      packCluster(broken, origin),
    ]) {
      await writeFile(sandbox.template, content);
      await expectInitdb();
    }
    await rm(sandbox.template);
    await expectInitdb();
  });

  if (isRoot) {
    it('is not needed by a user who may not read it', async () => {
      await chmod(sandbox.template, 0o600);
      await expectInitdb(nobody);
    });
  }

  it.each(['300 files', 'postgres --single', 'initdb --sync-only', 'rename'])(
    'is copied again after kill -9 at this point: %s',
    async (point) => {
      const dataDir = await sandbox.dataDir();
      const preload = 'creation-points.mjs';
      await sandbox.killedOwner(dataDir, { preload, env: { KILL_AT: point }, fsync: 'on' });
      expect(await readdir(dataDir)).not.toContain('pg');
      const owner = await sandbox.owner(dataDir);
      expect(owner).toMatchObject({ firstStart: true, isOwner: true });
      expect(await systemId(owner)).toEqual(templateId);
      await insertRow(owner.url);
      await stopOwner(owner);
      expect(await readdir(dataDir)).toEqual(['pg', 'pg.password', 'postgres.log']);
    },
  );

  it.each([
    ['on', ['initdb --sync-only', 'initdb --sync-only ended']],
    ['off', []],
  ] as const)('is on disk before the copy gets its name, with fsync=%s', async (fsync, synced) => {
    const points = join(await sandbox.dataDir(), 'points');
    const env = { CREATION_POINTS: points };
    const owner = await sandbox.owner(await sandbox.dataDir(), undefined, {
      preload: 'creation-points.mjs',
      env,
      fsync,
    });
    await stopOwner(owner);
    const passed = (await readFile(points, 'utf8')).trim().split('\n');
    expect(passed.slice(passed.indexOf('300 files'))).toEqual([
      '300 files',
      'postgres --single',
      'postgres --single ended',
      ...synced,
      'rename',
    ]);
  });
});

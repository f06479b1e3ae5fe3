import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuditSealWorker } from '../../src/audit/audit-seal.worker.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree } from '../support/process.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

const ROOT = resolve(import.meta.dirname, '../..');

interface Result {
  code: number | null;
  lines: string[];
  errors: string;
}

describe('npm run audit:verify', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let folder: string;

  beforeAll(async () => {
    buildTree();
    folder = await mkdtemp(join(tmpdir(), 'switchboard-audit-'));
    // There is no worker, so entries are chained only when a test chains them.
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
  });
  beforeEach(async () => {
    await switchboard.ownerQuery('truncate audit_log, private.audit_queue');
    await switchboard.ownerQuery('truncate private.audit_chains, private.audit_seals');
    acme = await createOrganization(switchboard);
    await acme.call('create_contact', { email: 'a@example.com' });
    await switchboard.app.get(AuditSealWorker, { strict: false }).sealEntries();
  });
  afterAll(async () => {
    await switchboard.close();
    await rm(folder, { recursive: true });
  });

  const run = (env: Record<string, string> = {}, ...given: string[]): Promise<Result> =>
    new Promise((done) => {
      const settings = { DATABASE_URL: switchboard.databaseUrl, NODE_ENV: 'test', ...env };
      const child = execFile(
        process.execPath,
        ['scripts/verify-audit-log.mjs', ...given],
        { cwd: ROOT, env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...settings } },
        (_error, stdout, stderr) =>
          done({ code: child.exitCode, lines: stdout.trim().split('\n'), errors: stderr }),
      );
    });
  const keep = async (lines: readonly string[]): Promise<string> => {
    const file = join(folder, 'kept.txt');
    await writeFile(file, lines.join('\n'));
    return file;
  };

  it('exits with 0 for a complete audit log, and says what was checked', async () => {
    const { code, lines, errors } = await run();
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^head ${acme.id} 3 [0-9a-f]{64}$`)),
      `day ${acme.id} 1 ${new Date().toISOString().slice(0, 10)}`,
      '3 entries of 1 organizations were checked, and 0 earlier ends. 0 new entries are not chained yet. 0 faults.',
    ]);
    expect((await run({}, await keep(lines))).lines.at(-1)).toContain('and 1 earlier ends.');
  });

  it.each([
    ['a changed entry', `update audit_log set actor_id = 'x'`, /was changed/],
    ['a removed entry', 'delete from audit_log', /was removed/],
    [
      'an inserted entry',
      `insert into audit_log (organization_id, actor_kind, actor_id, action)
       select organization_id, actor_kind, actor_id, 'inserted' from audit_log`,
      /was inserted without the service/,
    ],
  ])('exits with 1 for %s, and names the entry', async (_case, sql, words) => {
    const one = `where action = 'create_contact'`;
    const [entry] = await switchboard.ownerQuery<{ id: string }>(`select id from audit_log ${one}`);
    await switchboard.ownerQuery(`${sql} ${one}`);
    const { code, lines } = await run();
    expect(code).toBe(1);
    const faults = lines.filter((line) => line.startsWith('FAULT '));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^FAULT ${acme.id}: entry \\d+\\b`));
    expect(faults[0]).toMatch(words);
    if (!sql.startsWith('insert')) expect(faults[0]).toContain(`entry ${entry!.id}`);
    expect(lines.at(-1)).toContain(' 1 faults.');
  });

  it('exits with 1 when entries were removed from the beginning of a chain in the output of an earlier run', async () => {
    const { lines: earlier } = await run();
    await switchboard.ownerQuery('truncate audit_log, private.audit_seals');
    await switchboard.ownerQuery(
      'update private.audit_chains set anchor_position = position, anchor_hash = hash',
    );
    expect((await run()).code).toBe(0);
    const { code, lines } = await run({}, await keep(earlier));
    expect(code).toBe(1);
    expect(lines).toContainEqual(
      expect.stringMatching(`^FAULT ${acme.id}: entries from position 1 on were removed too early`),
    );
    const heads = earlier.filter((line) => line.startsWith('head '));
    const withoutDays = await run({}, await keep(heads));
    expect(withoutDays.code).toBe(0);
  });

  it('exits with 1 when a chain in the output of an earlier run no longer exists', async () => {
    const kept = await keep((await run()).lines);
    await switchboard.ownerQuery('truncate audit_log, private.audit_queue');
    await switchboard.ownerQuery('truncate private.audit_chains, private.audit_seals');
    expect((await run()).code).toBe(0);
    const { code, lines } = await run({}, kept);
    expect(code).toBe(1);
    expect(lines).toContain(`FAULT ${acme.id}: the audit log was removed, with its chain.`);
  });

  it('exits with 2 when the tables of chains were dropped', async () => {
    await switchboard.ownerQuery('alter table private.audit_chains rename to hidden_chains');
    try {
      const { code, errors } = await run();
      expect(code).toBe(2);
      expect(errors).toContain('has no audit log');
    } finally {
      await switchboard.ownerQuery('alter table private.hidden_chains rename to audit_chains');
    }
  });

  it.each([
    [
      'a server that does not run',
      { DATABASE_URL: 'postgres://a:canary@127.0.0.1:9/b' },
      /ECONNREFUSED.*Set DATABASE_URL/s,
    ],
    ['an invalid address', { DATABASE_URL: 'canary' }, /DATABASE_URL: it must be/],
    ['no database', { DATABASE_URL: '', DATA_DIR: '/nowhere' }, /no database.*DATABASE_URL/is],
  ])('exits with 2 for %s, and says what to set', async (_case, env, words) => {
    const { code, lines, errors } = await run(env);
    expect({ code, lines }).toEqual({ code: 2, lines: [''] });
    expect(errors).toMatch(words);
    expect(errors).not.toMatch(/canary|\n +at /);
  });

  it('exits with 2 for a database without Switchboard, and for a role that is not the owner', async () => {
    const other = new URL(switchboard.databaseUrl);
    other.pathname = '/postgres';
    const empty = await run({ DATABASE_URL: other.href });
    expect(empty.code).toBe(2);
    expect(empty.errors).toMatch(/has no audit log.*Set DATABASE_URL/s);
    const url = new URL(switchboard.databaseUrl);
    const { user, password } = switchboard.access.tenant;
    [url.username, url.password] = [user, password];
    const asTenant = await run({ DATABASE_URL: url.href });
    expect(asTenant.code).toBe(2);
    expect(asTenant.errors).toMatch(/permission denied.*Set DATABASE_URL/s);
  });

  it('exits with 2 for a file that is missing or has no output of an earlier run', async () => {
    const missing = await run({}, join(folder, 'missing.txt'));
    expect(missing.code).toBe(2);
    expect(missing.errors).toMatch(/ENOENT.*missing\.txt.*Give the file/s);
    expect(missing.errors).not.toContain('\n    at ');
    const other = await run({}, await keep(['something else']));
    expect(other.code).toBe(2);
    expect(other.errors).toContain('no line that begins with "head"');
  });
});

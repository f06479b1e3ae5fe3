import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDatabaseOwner, type DatabaseOwner } from '../support/database-owner.js';
import { freePort } from '../support/global-setup.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree, startProcess, type SwitchboardProcess } from '../support/process.js';
import { startSwitchboard } from '../support/switchboard.js';
import { prepareDatabase } from '../../src/database/setup/prepare-database.js';
import { createWorkflow } from '../workflows/support/workflow-client.js';

const ROOT = resolve(import.meta.dirname, '../..');
const SECRET_KEY = 'the-key-of-the-service-'.repeat(2);
/** Makes the process print its peak memory in kilobytes when it ends. */
const MEASURE =
  'data:text/javascript,process.on("exit",()=>process.stderr.write(`peak=${process.resourceUsage().maxRSS}\\n`))';
const LARGE_ROWS = 100_000;

interface Result {
  code: number | null;
  output: string;
  errors: string;
}

describe('npm run backup and npm run restore', () => {
  let owner: DatabaseOwner;
  let folder: string;
  let sourceUrl: string;
  let acme: TestOrganization;
  let file: string;
  let made: Result;
  const processes: SwitchboardProcess[] = [];

  beforeAll(async () => {
    buildTree();
    owner = await createDatabaseOwner();
    folder = await mkdtemp(join(tmpdir(), 'switchboard-command-'));
    // When this runs as root, PostgreSQL runs as another user, who must be able to enter the folder.
    await chmod(folder, 0o711);
    file = join(folder, 'first.backup');
    sourceUrl = await owner.createDatabase();
    const switchboard = await startSwitchboard({ databaseUrl: sourceUrl, env: { SECRET_KEY } });
    try {
      acme = await createOrganization(switchboard);
      await createWorkflow(acme, [], { trigger: { type: 'webhook', secret: true } });
      made = await backup(file, { DATABASE_URL: sourceUrl });
    } finally {
      await switchboard.close();
    }
  });
  afterEach(async () => {
    for (const { child, exited } of processes.splice(0)) {
      child.kill('SIGTERM');
      await exited;
    }
  });
  afterAll(async () => {
    await owner.drop();
    await rm(folder, { recursive: true });
  });

  const run = (script: string, given: string[], env: Record<string, string>): Promise<Result> =>
    new Promise((done) => {
      const child = execFile(
        process.execPath,
        [join(ROOT, 'scripts', script), ...given],
        {
          // This folder has no .env, so the command gets only the settings below.
          cwd: folder,
          env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, SECRET_KEY, ...env },
        },
        (_error, output, errors) => done({ code: child.exitCode, output, errors }),
      );
    });
  const backup = (path: string, env: Record<string, string>) => run('backup.mjs', [path], env);
  const restore = (given: string[], env: Record<string, string>) => run('restore.mjs', given, env);
  const startOn = async (env: Record<string, string>): Promise<string> => {
    const port = String(await freePort());
    const started = startProcess(
      { PORT: port, HOST: '127.0.0.1', LOG_LEVEL: 'silent', SECRET_KEY, ...env },
      folder,
    );
    processes.push(started);
    await started.untilSaid(/Switchboard listens on/);
    return `http://127.0.0.1:${port}`;
  };
  const countTools = async (url: string): Promise<number> => {
    const response = await fetch(`${url}/api/mcp`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${acme.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    const { result } = (await response.json()) as { result?: { tools: unknown[] } };
    return result?.tools.length ?? 0;
  };

  it('print the output that docs/operations.md shows', async () => {
    const checked = await restore(['--check', file], {});
    const restored = await restore([file], { DATABASE_URL: await owner.createDatabase() });
    const shown = (text: string): string =>
      text
        .replaceAll(/\S+\.backup/g, 'FILE')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replaceAll(/\b\d+ (tables?|rows?|bytes)\b/g, 'N $1')
        .replaceAll(/^ +/gm, '')
        .trim();
    const page = await readFile(join(ROOT, 'docs/operations.md'), 'utf8');
    const examples = [...page.matchAll(/^ *```text\n([\s\S]*?)^ *```$/gm)].map(([, text]) =>
      shown(text!),
    );
    for (const result of [made, checked, restored]) {
      expect(result).toMatchObject({ code: 0, errors: '' });
    }
    expect(examples).toEqual([made, checked, restored].map(({ output }) => shown(output)));
  });

  it('move an installation from a server into the embedded PostgreSQL and back, while the installation works', async () => {
    const DATA_DIR = join(folder, 'data');
    expect(await restore([file], { DATA_DIR })).toMatchObject({ code: 0, errors: '' });
    const url = await startOn({ DATA_DIR });
    expect(await countTools(url)).toBeGreaterThan(10);
    expect(processes[0]!.output()).not.toContain('A demo organization was created');
    const second = join(folder, 'second.backup');
    expect(await backup(second, { DATA_DIR })).toMatchObject({ code: 0, errors: '' });
    expect(await countTools(url)).toBeGreaterThan(10);
    const refused = await restore([second], { DATA_DIR });
    expect(refused).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^The backup was not restored: A process is connected/),
    });
    const DATABASE_URL = await owner.createDatabase();
    expect(await restore([second], { DATABASE_URL })).toMatchObject({ code: 0, errors: '' });
    expect(await countTools(await startOn({ DATABASE_URL }))).toBeGreaterThan(10);
  });

  it('exit with 2 and say why, without a stack', async () => {
    const DATABASE_URL = await owner.createDatabase();
    const cases: [() => Promise<Result>, RegExp][] = [
      [() => run('backup.mjs', [], { DATABASE_URL }), /^Usage: npm run backup -- FILE/],
      [() => backup(file, { DATABASE_URL: sourceUrl }), /exists already/],
      [
        () => backup(join(folder, 'none'), { DATABASE_URL }),
        /The database has no tables of Switchboard/,
      ],
      [
        () => backup(join(folder, 'none'), { DATA_DIR: join(folder, 'nowhere') }),
        /no database in .*nowhere/,
      ],
      [
        () => backup(join(folder, 'no/folder'), { DATABASE_URL: sourceUrl }),
        /There is no backup: The folder .*no does not exist\. Create it, or name another\.$/m,
      ],
      [() => backup(join(file, 'inside'), { DATABASE_URL: sourceUrl }), /is not a folder/],
      [() => restore([], { DATABASE_URL }), /Give one file.*Usage:/s],
      [() => restore(['--chek', file], { DATABASE_URL }), /Unknown option '--chek'.*Usage:/s],
      [() => restore([join(folder, 'missing')], { DATABASE_URL }), /The file does not exist/],
      [() => restore([join(ROOT, 'package.json')], { DATABASE_URL }), /The archive is damaged/],
      [() => restore([file], { DATABASE_URL: sourceUrl }), /The database is not empty/],
      [() => restore([file], { DATABASE_URL, SECRET_KEY: 'x'.repeat(40) }), /another SECRET_KEY/],
      [
        () => restore([file], { DATABASE_URL: 'postgres://a:canary@127.0.0.1:9/b' }),
        /ECONNREFUSED/,
      ],
    ];
    for (const [start, words] of cases) {
      const { code, errors } = await start();
      expect(errors).toMatch(words);
      expect(errors).not.toMatch(/canary|\n +at /);
      expect(code).toBe(2);
    }
    const lost = await restore(['--lost-secret-key', file], {
      DATABASE_URL,
      SECRET_KEY: 'x'.repeat(40),
    });
    expect(lost).toMatchObject({ code: 0, errors: '' });
  });

  it(`need the same memory for ${LARGE_ROWS} long rows as for an empty table`, async () => {
    const large = await owner.createDatabase();
    await prepareDatabase(large, { waitMs: 5000, log: () => undefined });
    const measured = { NODE_OPTIONS: `--import ${JSON.stringify(MEASURE)}` };
    const peak = ({ code, errors }: Result): number => {
      expect(code).toBe(0);
      return Number(/peak=(\d+)/.exec(errors)![1]) / 1024;
    };
    const measure = async (name: string) => {
      const path = join(folder, name);
      const written = peak(await backup(path, { DATABASE_URL: large, ...measured }));
      const DATABASE_URL = await owner.createDatabase();
      const read = peak(await restore([path], { DATABASE_URL, ...measured }));
      return { written, read, bytes: (await stat(path)).size, DATABASE_URL };
    };
    const before = await measure('empty.backup');
    await owner.ask(large, `insert into organizations (id, name) values ('org_a', 'Acme')`);
    await owner.ask(
      large,
      `alter table messages disable trigger user;
       insert into messages (organization_id, id, channel, direction, body, status)
       select 'org_a', 'msg_' || n, 'email', 'outbound',
         (select string_agg(md5(n::text || part), '') from generate_series(1, 64) as part), 'sent'
       from generate_series(1, ${LARGE_ROWS}) as n;
       alter table messages enable trigger user`,
    );
    const after = await measure('large.backup');
    console.log('Memory in MB, empty and large:', before, after);
    expect(after.bytes).toBeGreaterThan(80 * 1024 ** 2);
    // The archive has 200 MB of text.
    expect(after.written - before.written).toBeLessThan(100);
    expect(after.read - before.read).toBeLessThan(100);
    const count = 'select count(*)::int as count from messages';
    expect(await owner.ask(after.DATABASE_URL, count)).toEqual([{ count: LARGE_ROWS }]);
  });
});

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, textOf } from '../mcp/support/answer.js';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/global-setup.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { buildTree } from '../support/process.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, type RunShape } from '../workflows/support/workflow-client.js';

interface Install {
  pack: (folder: string) => string;
  installLinked: (project: string, tarball: string) => void;
}

const ROOT = resolve(import.meta.dirname, '../..');
const SCRIPT = join(ROOT, 'scripts/new-module.mjs');
const LONG_MS = 250_000;
const run = promisify(execFile);

let folder: string;
let project: string;
let tarball: string;
let created: string;

/** Creates a module as `npm run new` does, in an environment without settings. Returns the output. */
async function create(script: string, ...given: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, INIT_CWD: folder };
  return (await run(process.execPath, [script, ...given], { env })).stdout;
}

beforeAll(async () => {
  buildTree();
  folder = mkdtempSync(join(tmpdir(), 'switchboard-module-'));
  project = join(folder, 'my-module');
  created = await create(SCRIPT, 'my-module');
  const path = pathToFileURL(join(ROOT, 'scripts/new-module/install-linked.mjs')).href;
  const { pack, installLinked } = (await import(path)) as Install;
  tarball = pack(folder);
  installLinked(project, tarball);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm run new', () => {
  it('prints the next steps', () => {
    expect(created.split('\n').map((line) => line.trim())).toEqual([
      `Created ${project}. Next:`,
      '',
      `cd ${project}`,
      'npm install',
      'npm test',
      'npm run dev',
      '',
    ]);
  });

  it('leaves no word of the template in the module', () => {
    const files = readdirSync(project, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && !entry.parentPath.includes('node_modules'),
    );
    expect(files.map(({ name }) => name)).toContain('my-module.entity.ts');
    for (const { parentPath, name } of files) {
      const text = `${name} ${readFileSync(join(parentPath, name), 'utf8')}`;
      expect(text, name).not.toMatch(/purchase|1767225600000/i);
    }
  });

  it('depends on the checkout, and on packages in exactly the versions of the checkout', () => {
    const { name, dependencies, devDependencies } = readJson(join(project, 'package.json'));
    const lock = readJson(join(ROOT, 'package-lock.json')) as unknown as {
      packages: Record<string, { version: string }>;
    };
    expect(name).toBe('my-module');
    const { switchboard, ...others } = { ...dependencies, ...devDependencies };
    expect(resolve(project, switchboard!.replace(/^file:/, ''))).toBe(ROOT);
    for (const [name, version] of Object.entries(others)) {
      expect(lock.packages[`node_modules/${name}`]!.version, name).toBe(version);
    }
  });

  it('also works from the packed file', async () => {
    const script = join(project, 'node_modules/switchboard/scripts/new-module.mjs');
    await create(script, 'invoices', '--switchboard', tarball);
    const { dependencies } = readJson(join(folder, 'invoices/package.json'));
    expect(resolve(folder, 'invoices', dependencies.switchboard!.slice('file:'.length))).toBe(
      tarball,
    );
    expect(existsSync(join(folder, 'invoices/.npmrc'))).toBe(true);
  });

  it.each([
    [['workflow-tools'], 'Switchboard has a tool called list_workflow_tools'],
    [['contacts'], 'Switchboard has a table called contacts'],
    [['inputs'], 'would be called input in the code'],
    [['My Module'], 'use lowercase words'],
    [['my-module'], 'is not empty'],
    [['orders', '--folder', SCRIPT], 'is a file'],
    [[], 'npm run new -- NAME'],
    [['orders', '--force'], '--force'],
  ])('refuses %j and creates nothing', async (given, reason) => {
    const before = readdirSync(folder);
    await expect(create(SCRIPT, ...given)).rejects.toThrow(reason);
    expect(readdirSync(folder)).toEqual(before);
  });
});

describe('a new module', () => {
  it('compiles with the published types, and passes its own test', async () => {
    const { compilerOptions } = readJson(join(project, 'tsconfig.json'));
    expect(compilerOptions).toMatchObject({ strict: true });
    expect(compilerOptions).not.toHaveProperty('skipLibCheck');
    await npm('test');
  });

  it('serves its tools to agents, people and steps, and restarts after changes', async () => {
    const database = await createTestDatabase();
    const url = `http://127.0.0.1:${await freePort()}`;
    const env = {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      HOST: '127.0.0.1',
      PORT: new URL(url).port,
      SIGN_UP: 'open',
      DATA_DIR: folder,
    };
    const child = spawn(process.execPath, ['dev.mjs'], { cwd: project, env, detached: true });
    const exited = once(child, 'exit');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => (output += data.toString()));
    }
    const untilSaid = (text: string, times = 1) =>
      waitFor(() => output.split(text).length > times, LONG_MS);
    const source = join(project, 'src/my-modules.service.ts');
    const original = readFileSync(source, 'utf8');
    try {
      await untilSaid('listens on');
      await callFromEverywhere(await createOrganization({ url }));
      writeFileSync(source, `${original}\nconst broken: number = 'text';\n`);
      await untilSaid('error TS2322');
      expect((await fetch(`${url}/health/live`)).status).toBe(200);
      writeFileSync(source, `${original}\nprocess.stdout.write('the new version\\n');\n`);
      await untilSaid('the new version');
      await untilSaid('listens on', 2);
      expect((await fetch(`${url}/health/live`)).status).toBe(200);
    } catch (error) {
      throw new Error(`The output was:\n${output}`, { cause: error });
    } finally {
      writeFileSync(source, original);
      // A terminal sends the signal of Ctrl-C to the whole group.
      process.kill(-child.pid!, 'SIGINT');
      await exited;
      await database.drop();
    }
    expect(output).toContain('Stopped.');
  });
});

async function callFromEverywhere(acme: TestOrganization): Promise<void> {
  const given = { title: 'First', amount: 1 };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  const params = { name: 'record_my_module', arguments: given };
  const { body } = await answerOf(acme.rpc({ ...message, params }));
  expect(textOf(body)).toMatchObject({ my_module: given });
  const person = await acme.call('record_my_module', given);
  expect(person.value).toMatchObject({ my_module: given });
  const step = { id: 'record', tool: 'record_my_module', arguments: given };
  const workflow = await createWorkflow(acme, [step], {
    active: true,
    trigger: { type: 'manual' },
  });
  const started = await acme.call('trigger_workflow', { workflow_id: workflow.id });
  await waitFor(async () => {
    const { value } = await acme.call<{ run: RunShape }>('get_run', started.value);
    return value.run.status === 'succeeded';
  });
  const listed = await acme.call<{ my_modules: object[] }>('list_my_modules');
  expect(listed.value.my_modules).toHaveLength(3);
}

/** Runs a script of the module. When the script fails, the error contains its output. */
async function npm(script: string): Promise<void> {
  const env = { PATH: process.env.PATH, HOME: folder };
  await run('npm', ['run', script], { cwd: project, env }).catch((error: unknown) => {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`npm run ${script}:\n${stdout}\n${stderr}`, { cause: error });
  });
}

function readJson(file: string) {
  return JSON.parse(readFileSync(file, 'utf8')) as {
    name: string;
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
    compilerOptions: object;
  };
}

import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/global-setup.js';
import { buildTree } from '../support/process.js';
import { waitFor } from '../support/wait-for.js';
import { installPacked, npmInstall, pack, type PackedFile, ROOT } from './support/packed-file.js';

const MEGABYTE = 1_000_000;
const run = promisify(execFile);

let folder: string;
let packed: PackedFile;
beforeAll(async () => {
  buildTree();
  folder = await mkdtemp(join(tmpdir(), 'switchboard-package-'));
  // As root, PostgreSQL runs as another user, who must be able to enter this folder.
  await chmod(folder, 0o711);
  packed = await pack(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the packed file', () => {
  it('has the licence, the README, the change log and every page that the README names', async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, target]) => target!);
    expect(links.length).toBeGreaterThan(10);
    const needed = ['LICENSE', 'README.md', 'CHANGELOG.md', 'package.json', ...links];
    expect(needed.filter((path) => !packed.files.includes(posix.normalize(path)))).toEqual([]);
  });

  it('has every page of docs and the template of new modules, but no sources, tests, source maps or data', () => {
    const others = packed.files.filter(
      (path) =>
        !/^(dist\/|docs\/|[A-Z]+(\.md)?$|package\.json$|\.env\.example$)/.test(path) &&
        !/^examples\/(channels|purchase-orders)\//.test(path),
    );
    expect(others.toSorted()).toEqual([
      'scripts/build.mjs',
      'scripts/new-module.mjs',
      'scripts/new-module/module-names.mjs',
    ]);
    expect(
      packed.files.filter((path) => /\.map$|\.spec\.|build-stamp$|template\.gz$/.test(path)),
    ).toEqual([]);
    expect(packed.files).toContain('docs/extending.md');
  });

  it('is smaller than 6 MB, and smaller than 14 MB when unpacked', () => {
    expect(packed.packedBytes).toBeLessThan(6 * MEGABYTE);
    expect(packed.unpackedBytes).toBeLessThan(14 * MEGABYTE);
  });

  it('passes publint, and its types are right for every import from ES modules', async () => {
    const tools = join(folder, 'tools');
    for (const file of ['package.json', 'package-lock.json']) {
      await cp(join(import.meta.dirname, 'tools', file), join(tools, file));
    }
    await npmInstall(tools);
    const tool = (name: string, ...given: string[]) =>
      run(process.execPath, [join(tools, 'node_modules/.bin', name), ...given], { cwd: folder });
    expect((await tool('publint', 'run', packed.path, '--strict')).stdout).toContain('All good!');
    // The check fails on a problem of any import from an ES module. Switchboard has no CommonJS.
    await tool('attw', packed.path, '--profile', 'esm-only');
  });
});

describe('a module in a project with nothing but the packed file and TypeScript', () => {
  let project: string;
  beforeAll(async () => {
    project = join(folder, 'module');
    await installPacked(packed, project);
    await cp(join(import.meta.dirname, 'support/module'), project, { recursive: true });
  });

  it('compiles with strict and without skipLibCheck, and starts', async () => {
    // A package that only the checkout has would hide a missing dependency.
    expect(existsSync(join(project, 'node_modules/@types/express'))).toBe(false);
    const bin = (name: string) => join(project, 'node_modules/.bin', name);
    const compiled = await run(process.execPath, [bin('tsc')], { cwd: project }).catch(
      (error: { stdout: string }) => error,
    );
    expect(compiled.stdout).toBe('');

    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const child = spawn(process.execPath, ['dist/main.js'], {
      cwd: project,
      env: { PATH: process.env.PATH, PORT: String(port), DATA_DIR: join(folder, 'data') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => (output += data.toString()));
    }
    const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
    try {
      const key = await waitFor(() => {
        if (child.exitCode !== null) throw new Error(output);
        return /swb_\w{38}/.exec(output)?.[0];
      });
      const env = { PATH: process.env.PATH, SWITCHBOARD_URL: url, SWITCHBOARD_KEY: key };
      const call = ['call', 'count_letters', '{"text":"letters"}'];
      const { stdout } = await run(bin('switchboard'), call, { cwd: project, env });
      expect(JSON.parse(stdout)).toEqual({ letters: 7 });
      expect((await run(bin('switchboard'), ['doctor'], { cwd: project, env })).stdout).toContain(
        'The key may call',
      );
    } finally {
      child.kill('SIGTERM');
      await exited;
    }
  });
});

import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { freePort } from '../support/global-setup.js';
import { waitFor } from '../support/wait-for.js';

const ROOT = resolve(import.meta.dirname, '../..');
const COPIED = [
  'migrations',
  'package.json',
  'scripts',
  'src',
  'tsconfig.build.json',
  'tsconfig.json',
];
const SOURCE = 'src/operations/health.controller.ts';
const LONG_MS = 250_000;

it('npm run dev restarts after a change, continues while the sources have an error, and stops the service cleanly', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'switchboard-dev-'));
  for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  // A build keeps the cluster template that the installation has prepared.
  const template = join(copy, 'dist/cluster-template.gz');
  mkdirSync(join(copy, 'dist'));
  writeFileSync(template, 'the template');
  const database = await createTestDatabase();
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(process.execPath, ['scripts/dev.mjs'], {
    cwd: copy,
    detached: true,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      HOST: '127.0.0.1',
      PORT: new URL(url).port,
      LOG_FORMAT: 'pretty',
    },
  });
  const exited = new Promise((done) => child.once('exit', done));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => (output += data.toString()));
  }
  const untilSaid = (text: string, times = 1) =>
    waitFor(() => output.split(text).length > times, LONG_MS);
  const source = join(copy, SOURCE);
  const original = readFileSync(source, 'utf8');
  try {
    await untilSaid('listens on');
    await untilSaid('Watching for changes');
    expect(readFileSync(template, 'utf8')).toBe('the template');
    writeFileSync(source, `${original}\nconst broken: number = 'text';\n`);
    await untilSaid('goes on with the last version that compiles');
    expect(output).toContain('error TS2322');
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    writeFileSync(source, `${original}\nprocess.stdout.write('the new version\\n');\n`);
    await untilSaid('the new version');
    await untilSaid('listens on', 2);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
  } catch (error) {
    throw new Error(`The output was:\n${output}`, { cause: error });
  } finally {
    // A terminal sends the signal of Ctrl-C to the whole group.
    process.kill(-child.pid!, 'SIGINT');
    await exited;
    await database.drop();
    rmSync(copy, { recursive: true, force: true });
  }
  expect(output).toContain('Stopped.');
});

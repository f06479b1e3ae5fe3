// npm run test:examples
// Builds and tests each example as a team would: in a separate folder, with Switchboard installed from the tarball of
// `npm pack`.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { build } from './build.mjs';
import { installLinked, pack } from './new-module/install-linked.mjs';

const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'switchboard-examples-'));
const totals = { pass: 0, fail: 0 };

try {
  await build();
  const tarball = pack(folder);
  for (const name of readdirSync(join(root, 'examples'))) {
    console.log(`Example ${name}`);
    const project = join(folder, name);
    cpSync(join(root, 'examples', name), project, {
      recursive: true,
      filter: (path) => !['node_modules', 'dist'].includes(basename(path)),
    });
    installLinked(project, tarball);
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], project);
    test(project);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${totals.pass} passed, ${totals.fail} failed`);
if (totals.fail > 0 || totals.pass === 0) process.exitCode = 1;

/** Runs the test files that the `test` script of the example names. */
function test(project) {
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  const files = scripts.test.split(' --test ')[1].split(' ');
  const args = ['--test', '--test-reporter=spec', ...files];
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.stdout.write(stdout);
  const counts = Object.fromEntries(
    [...stdout.matchAll(/^ℹ (pass|fail) (\d+)$/gm)].map(([, what, count]) => [what, Number(count)]),
  );
  totals.pass += counts.pass ?? 0;
  // Tests that end with an error code, but report no failure, count as one failure.
  totals.fail += counts.fail || (status === 0 ? 0 : 1);
}

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${basename(command)} ${args.join(' ')} failed.`);
}

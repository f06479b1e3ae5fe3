// npm run test:examples
// Builds and tests each example as a team would: in a separate folder, with Switchboard installed from the tarball of
// `npm pack`. All other packages are links to those installed here, so nothing is downloaded and no package exists twice.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { build } from './build.mjs';

const root = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'switchboard-examples-'));
const totals = { pass: 0, fail: 0 };

try {
  await build();
  const tarball = pack();
  for (const name of readdirSync(join(root, 'examples'))) {
    console.log(`Example ${name}`);
    const project = install(name, tarball);
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], project);
    test(project);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${totals.pass} passed, ${totals.fail} failed`);
if (totals.fail > 0 || totals.pass === 0) process.exitCode = 1;

function pack() {
  // Without --ignore-scripts, npm would build a second time.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }));
  return join(folder, basename(filename));
}

function install(name, tarball) {
  const project = join(folder, name);
  cpSync(join(root, 'examples', name), project, {
    recursive: true,
    filter: (path) => !['node_modules', 'dist'].includes(basename(path)),
  });
  const modules = join(project, 'node_modules');
  const target = join(modules, 'switchboard');
  mkdirSync(target, { recursive: true });
  run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'], folder);
  for (const dependency of packages(join(root, 'node_modules'))) {
    mkdirSync(dirname(join(modules, dependency)), { recursive: true });
    symlinkSync(join(root, 'node_modules', dependency), join(modules, dependency), 'dir');
  }
  return project;
}

/** Lists the packages in a node_modules folder, with their scopes. */
function packages(modules) {
  return readdirSync(modules)
    .filter((entry) => !entry.startsWith('.'))
    .flatMap((entry) =>
      entry.startsWith('@')
        ? readdirSync(join(modules, entry)).map((name) => `${entry}/${name}`)
        : [entry],
    );
}

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
  // A run with an error code counts as one failure when it reports none.
  totals.fail += counts.fail || (status === 0 ? 0 : 1);
}

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${basename(command)} ${args.join(' ')} failed.`);
}

// Builds and tests each example the way a team has it: in a folder of its own, with Switchboard installed as the package
// that `npm pack` makes. All other packages are links to those installed here, so nothing is downloaded, and there is one
// copy of each, as npm would see to.
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
  // The scripts would build once more; what they make is there.
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

/** Names of the packages in a node_modules folder, with their scopes. */
function packages(modules) {
  return readdirSync(modules)
    .filter((entry) => !entry.startsWith('.'))
    .flatMap((entry) =>
      entry.startsWith('@')
        ? readdirSync(join(modules, entry)).map((name) => `${entry}/${name}`)
        : [entry],
    );
}

/** Runs the tests that the example's own `npm test` names. */
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
  // A run that ends badly without saying what failed is a failure all the same.
  totals.fail += counts.fail || (status === 0 ? 0 : 1);
}

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${basename(command)} ${args.join(' ')} failed.`);
}

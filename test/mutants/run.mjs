// npm run test:mutants [-- M2 M5]
// Takes one mechanism after the other away from a copy of the sources, and looks whether the tests that are there for
// it fail. Before that, the same tests must pass on a copy that nothing was taken from. Ends with code 1 otherwise.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MUTANTS } from './mutants.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const COPIED = [
  'migrations',
  'package.json',
  'scripts',
  'src',
  'test',
  'tsconfig.build.json',
  'tsconfig.json',
  'vitest.config.ts',
];

const asked = process.argv.slice(2);
const mutants = MUTANTS.filter(({ id }) => asked.length === 0 || asked.includes(id));

const rows = [];
const control = inCopy([], (copy) =>
  test(
    copy,
    [...new Set(mutants.flatMap(({ tests }) => tests))],
    mutants.map(({ names }) => names).join('|'),
  ),
);
if (!control.isBuilt || control.failed.length > 0 || control.passed === 0) {
  console.log(`The tests do not pass without a mutation:\n${control.output}`);
  process.exit(1);
}
console.log(`Without a mutation ${control.passed} tests pass.`);
for (const { id, what, edits, tests, names } of mutants) {
  const { isBuilt, failed, output } = inCopy(edits, (copy) => test(copy, tests, names));
  const isKilled = isBuilt && failed.length > 0;
  rows.push({ id, what, isKilled, failed });
  console.log(`${id} ${isKilled ? 'is killed' : `LIVES:\n${output}`}`);
}
const alive = rows.filter(({ isKilled }) => !isKilled);
console.log(`\n| Mutant | Taken away | Tests that fail |\n| --- | --- | --- |`);
for (const { id, what, isKilled, failed } of rows) {
  console.log(`| ${id} | ${what} | ${isKilled ? failed.join('; ') : 'NONE'} |`);
}
console.log(`\n${rows.length - alive.length} of ${rows.length} mutants are killed.`);
process.exitCode = alive.length === 0 ? 0 : 1;

/** Calls `work` with a copy of the sources that has the edits, and takes the copy away again. */
function inCopy(edits, work) {
  const copy = mkdtempSync(join(tmpdir(), 'switchboard-mutant-'));
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    for (const [file, text, replacement] of edits) {
      const source = readFileSync(join(copy, file), 'utf8');
      // A mutant that changes nothing would be counted as one that lives, or worse.
      if (!source.includes(text)) throw new Error(`${file} does not say: ${text}`);
      writeFileSync(
        join(copy, file),
        source.replaceAll(text, () => replacement),
      );
    }
    return work(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Builds the copy and runs the tests in it: a copy that cannot be built proves nothing. */
function test(copy, tests, names) {
  const built = run(copy, ['scripts/build.mjs']);
  if (built.status !== 0) return { isBuilt: false, failed: [], passed: 0, output: built.output };
  const report = join(copy, 'report.json');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = ['run', '--project', 'e2e', ...tests, '-t', names];
  const { output } = run(copy, [vitest, ...args, '--reporter=json', `--outputFile=${report}`]);
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    return { isBuilt: false, failed: [], passed: 0, output };
  }
  const all = results.flatMap(({ assertionResults }) => assertionResults);
  const failed = all.filter(({ status }) => status === 'failed').map(({ title }) => title);
  const passed = all.filter(({ status }) => status === 'passed').length;
  return { isBuilt: true, failed: [...new Set(failed)], passed, output };
}

function run(cwd, args) {
  const env = { ...process.env, FAILPOINT_ROUNDS: process.env.FAILPOINT_ROUNDS ?? '3' };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env,
    encoding: 'utf8',
  });
  return { status, output: `${stdout}${stderr}` };
}

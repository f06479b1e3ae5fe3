// npm run test:mutants [-- --check] [-- --part=1/6] [-- M2 M5]
// Removes one mechanism after the other from a copy of the sources and runs the tests that protect it. Exits with code
// 1 when these tests still pass for a mutant, or fail on an unchanged copy. `--check` runs no tests. It only checks
// that each mutant can be applied: that the replaced texts and the named tests still exist. `--part=1/6` takes every
// sixth mutant, starting with the first mutant.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { MUTANTS } from './mutants.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const COPIED = [
  'docs',
  'migrations',
  'package.json',
  'scripts',
  'src',
  'test',
  'tsconfig.build.json',
  'tsconfig.json',
  'vitest.config.ts',
];

/**
 * The largest number of mutants whose tests run at the same time. These tests wait for timers and leases more than they
 * compute.
 */
const AT_ONCE = 3;

const { values: options, positionals: ids } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false }, part: { type: 'string', default: '1/1' } },
});
const [part, parts] = options.part.split('/').map(Number);
const mutants = MUTANTS.filter(
  ({ id }, index) => (ids.length === 0 || ids.includes(id)) && index % parts === part - 1,
);
if (mutants.length === 0) {
  console.error('No mutant has been chosen.');
  process.exit(1);
}

const faults = mutants.flatMap(findFaults);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
if (options.check) {
  console.log(`${mutants.length} mutants can be applied.`);
  process.exit();
}

const control = await inCopy([], (copy) =>
  test(
    copy,
    [...new Set(mutants.flatMap(({ tests }) => tests))],
    mutants.map(({ names }) => names).join('|'),
  ),
);
if (!control.isBuilt || control.failed.length > 0 || control.passed === 0) {
  console.log(`The tests fail on unchanged sources:\n${control.output}`);
  process.exit(1);
}
console.log(`${control.passed} tests pass on unchanged sources.`);
const rows = new Map();
const waiting = [...mutants];
await Promise.all(Array.from({ length: AT_ONCE }, testWaiting));
const alive = mutants.filter(({ id }) => !rows.get(id).isKilled);
console.log(`\n| Mutant | Removed mechanism | Tests that fail |\n| --- | --- | --- |`);
for (const { id, what } of mutants) {
  const { isKilled, failed } = rows.get(id);
  console.log(`| ${id} | ${what} | ${isKilled ? failed.join('; ') : 'NONE'} |`);
}
console.log(`\n${mutants.length - alive.length} of ${mutants.length} mutants are killed.`);
process.exitCode = alive.length === 0 ? 0 : 1;

/** Tests mutants until none is waiting. */
async function testWaiting() {
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const { id, edits, tests, names } = mutant;
    const { isBuilt, failed, output } = await inCopy(edits, (copy) => test(copy, tests, names));
    const isKilled = isBuilt && failed.length > 0;
    rows.set(id, { isKilled, failed });
    console.log(`${id} ${isKilled ? 'is killed' : `SURVIVES:\n${output}`}`);
  }
}

/** Returns the reasons why a mutant cannot be applied. A mutant that changes nothing would seem to survive. */
function findFaults({ id, edits, tests, names }) {
  // An edit may follow another edit of the same file, so all edits are applied in their order.
  const sources = new Map();
  const missing = edits.flatMap(([file, text, replacement]) => {
    const path = join(ROOT, file);
    if (!existsSync(path)) return [`${id}: ${file} does not exist.`];
    const source = sources.get(file) ?? readFileSync(path, 'utf8');
    sources.set(
      file,
      source.replaceAll(text, () => replacement),
    );
    return source.includes(text) ? [] : [`${id}: ${file} does not contain: ${text}`];
  });
  const files = ['src', 'test']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { encoding: 'utf8', recursive: true }).map((file) =>
        join(folder, file),
      ),
    )
    .filter((file) => file.endsWith('spec.ts') && tests.some((test) => file.includes(test)));
  const titles = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
  const unknown = names
    .split('|')
    .filter((name) => !titles.includes(name))
    .map((name) => `${id}: no test in ${tests.join(', ')} is called: ${name}`);
  return [...missing, ...unknown];
}

/** Calls `work` with a copy of the sources that has the edits, and deletes the copy. */
async function inCopy(edits, work) {
  const copy = mkdtempSync(join(tmpdir(), 'switchboard-mutant-'));
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    for (const [file, text, replacement] of edits) {
      const source = readFileSync(join(copy, file), 'utf8');
      writeFileSync(
        join(copy, file),
        source.replaceAll(text, () => replacement),
      );
    }
    return await work(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/**
 * Runs tests in the copy. Builds the copy first when the tests start processes from it. A mutant counts as not killed
 * when its copy cannot be built, or when its test files cannot be loaded.
 */
async function test(copy, tests, names) {
  if (tests.some((file) => file.includes('failpoints'))) {
    const built = await run(copy, ['scripts/build.mjs']);
    if (built.status !== 0) return { isBuilt: false, failed: [], passed: 0, output: built.output };
  }
  const report = join(copy, 'report.json');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = ['run', '--project', 'unit', '--project', 'e2e', ...tests, '-t', names];
  const { output } = await run(copy, [
    vitest,
    ...args,
    '--reporter=json',
    `--outputFile=${report}`,
  ]);
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

async function run(cwd, args) {
  const FAILPOINT_ROUNDS = process.env.FAILPOINT_ROUNDS ?? '3';
  // The tests of some mutants run in `npm run test:slow` only.
  const env = { ...process.env, FAILPOINT_ROUNDS, TEST_SLOW: 'true' };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise((done) => child.on('exit', done));
  const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr)]);
  return { status: await exited, output: `${stdout}${stderr}` };
}

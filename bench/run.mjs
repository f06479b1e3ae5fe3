// Measures Switchboard beside its peers, all in one run on one machine, in interleaved rounds.
//   npm run bench -- [--smoke] [--growth] [--contests=search,run] [--only=switchboard,dbos] [--rounds=5] [--seconds=2.5]
// Writes RESULTS.md and results.json; of contests that were not run, these keep what was measured before. `--growth`
// adds what more and more contacts, runs, tools and workers cost. `--smoke` only looks whether all of it works, and
// `--only` names some of the contestants: both write nothing. Fails when a contestant answers wrongly; no timing makes
// it fail.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../scripts/build.mjs';
import { start } from './processes.mjs';

/** The files that measure, and the contests of each. */
const PARTS = [
  { file: 'calls', contests: ['list', 'call', 'batch', 'search'] },
  { file: 'durable', contests: ['accept', 'run', 'latency', 'growth-workers'] },
  { file: 'mail', contests: ['mail'] },
  { file: 'boot', contests: ['boot'] },
  { file: 'memory', contests: ['memory'] },
  { file: 'growth-registry', contests: ['growth-registry'] },
  { file: 'growth-search', contests: ['growth-search'] },
  { file: 'growth-claims', contests: ['growth-claims'] },
  { file: 'growth-neighbours', contests: ['growth-neighbours'] },
];
const here = import.meta.dirname;

const { values: options } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    contests: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string' },
  },
});
const { smoke } = options;
const rounds = Number(options.rounds ?? 5);
const seconds = Number(options.seconds ?? 2.5);
const only = options.only?.split(',');
const contests = wantedContests();

installPeers();
await build();
const { describeMachine, toMarkdown } = await import('./report.mjs');
const { EmbeddedPostgres } = await import('../dist/src/database/embedded/embedded-postgres.js');
const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
// The server of the embedded database may run as another user, who must be able to reach its data.
chmodSync(folder, 0o711);
const database = process.env.DATABASE_URL
  ? { url: process.env.DATABASE_URL, stop: async () => undefined }
  : await EmbeddedPostgres.start({
      dataDir: join(folder, 'data'),
      // Room for all contestants; nothing else differs from what Switchboard ships.
      settings: { max_connections: '400' },
    });
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}
try {
  report(await measure());
} finally {
  await cleanUp();
}

async function cleanUp() {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure() {
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_MINUTE: '100000000',
  };
  const tools = await toolsOf(env);
  const toolsFile = join(folder, 'tools.json');
  writeFileSync(toolsFile, JSON.stringify(tools));
  const place = { databaseUrl: database.url, postgresPid: database.pid, env, tools, toolsFile };
  const about = { date: new Date().toISOString().slice(0, 10), machine: describeMachine() };
  const results = {};
  for (const part of PARTS) {
    const wanted = part.contests.filter((contest) => contests.includes(contest));
    if (wanted.length === 0) continue;
    const { measure: measurePart } = await import(`./${part.file}.mjs`);
    const began = performance.now();
    const how = { contests: wanted, rounds, seconds, only, smoke };
    for (const [contest, result] of Object.entries(await measurePart(place, how))) {
      results[contest] = { ...about, rounds, seconds, ...result };
    }
    console.log(`${wanted.join(', ')}: ${((performance.now() - began) / 1000).toFixed(0)} s.`);
  }
  return results;
}

/** The tools that Switchboard gives out for 2025-11-25; the peers offer exactly these. */
async function toolsOf(env) {
  const { requestsOf } = await import('./contests.mjs');
  const { url, key, stop } = await start('contestants/switchboard.mjs', [], env);
  const [{ headers, body }] = requestsOf('list', '2025-11-25', key, {});
  const response = await fetch(url, { method: 'POST', headers, body });
  const { result } = await response.json();
  await stop();
  return result.tools;
}

function wantedContests() {
  const all = PARTS.flatMap((part) => part.contests);
  // What takes long is measured only where it is asked for.
  const usual = all.filter((contest) => !contest.startsWith('growth-') || options.growth || smoke);
  const wanted = options.contests?.split(',') ?? usual;
  const unknown = wanted.find((contest) => !all.includes(contest));
  if (unknown) throw new Error(`There is no contest ${unknown}, only ${all.join(', ')}.`);
  return wanted;
}

function report(measured) {
  if (smoke) {
    console.log(`The bench works: ${Object.keys(measured).join(', ')} came out right.`);
    return;
  }
  if (only) {
    console.log(toMarkdown(measured));
    return;
  }
  const file = join(here, 'results.json');
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const results = { ...before, ...measured };
  const table = toMarkdown(results);
  console.log(table);
  writeFileSync(join(here, 'RESULTS.md'), table);
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}

// The peers are packages of this folder alone.
function installPeers() {
  const lock = join(here, 'package-lock.json');
  const installed = join(here, 'node_modules', '.installed-lock.json');
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(lock))) return;
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: here, stdio: 'inherit' });
  if (status !== 0) throw new Error('The peers could not be installed.');
  writeFileSync(installed, readFileSync(lock));
}

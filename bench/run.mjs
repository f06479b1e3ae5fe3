// Measures Switchboard and its peers in interleaved rounds on one machine.
//   npm run bench -- [--smoke] [--growth] [--contests=search,run] [--only=switchboard,dbos] [--record] [--rounds=5] [--seconds=2.5] [--minutes=10]
// Writes RESULTS.md and results.json, and keeps earlier results of contests that were not run. `--growth` adds
// measurements with growing numbers of contacts, runs, tools and workers. The contests `fresh`, `slow-step` and
// `large-run` run only when they are selected. `--minutes` is the length of `fresh`. `--smoke` only tests that
// everything works. `--only` selects contestants. With `--smoke`, or with `--only` without `--record`, no files are
// written. The bench fails when a response is wrong, and never because a measured time is long.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../scripts/build.mjs';
import { installPackage } from '../scripts/install-package.mjs';
import { start } from './processes.mjs';

/** Lists the modules of the benchmarks, and the contests of each module. A contest compares programs at one task. */
const PARTS = [
  { file: 'calls', contests: ['list', 'call', 'batch', 'search'] },
  { file: 'durable', contests: ['accept', 'run', 'latency', 'growth-workers'] },
  { file: 'fresh', contests: ['fresh'] },
  { file: 'slow-step', contests: ['slow-step'] },
  { file: 'large-run', contests: ['large-run'] },
  { file: 'mail', contests: ['mail'] },
  { file: 'boot', contests: ['boot'] },
  { file: 'memory', contests: ['memory'] },
  { file: 'growth-registry', contests: ['growth-registry'] },
  { file: 'growth-search', contests: ['growth-search'] },
  { file: 'growth-filters', contests: ['growth-filters'] },
  { file: 'imports', contests: ['import', 'import-memory'] },
  { file: 'growth-claims', contests: ['growth-claims'] },
  { file: 'growth-neighbours', contests: ['growth-neighbours'] },
];
/** Lists contests that take long, so they run only when selected. */
const LONG = ['fresh', 'slow-step', 'large-run', 'import-memory'];
const here = import.meta.dirname;

const { values: options } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    contests: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    minutes: { type: 'string' },
    only: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
const { smoke } = options;
const rounds = Number(options.rounds ?? 5);
const seconds = Number(options.seconds ?? 2.5);
const minutes = Number(options.minutes ?? 10);
if (!(minutes > 0)) throw new Error('--minutes must be a number above 0.');
const only = options.only?.split(',');
const contests = wantedContests();

// The packages of the peers are installed in this folder only.
installPackage(here);
await build();
const { describeMachine, toMarkdown } = await import('./report.mjs');
const { EmbeddedPostgres } = await import('../dist/src/database/embedded/embedded-postgres.js');
const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
// The embedded PostgreSQL may run as another user, who must be able to enter the folder.
chmodSync(folder, 0o711);
const database = process.env.DATABASE_URL
  ? { url: process.env.DATABASE_URL, stop: async () => undefined }
  : await EmbeddedPostgres.start({
      dataDir: join(folder, 'data'),
      // All contestants together need this many connections. All other settings are those of Switchboard.
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
    SIGN_UP: 'open',
    NEW_ORGANIZATION_MESSAGES: '100000000',
    NEW_ORGANIZATION_CONTACTS: '100000000',
    NEW_ORGANIZATION_RUNS: '100000000',
    NEW_ORGANIZATION_STORED_MB: '1000000',
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
    const how = { contests: wanted, rounds, seconds, minutes, only, smoke };
    for (const [contest, result] of Object.entries(await measurePart(place, how))) {
      results[contest] = { ...about, rounds, seconds, ...result };
    }
    console.log(`${wanted.join(', ')}: ${((performance.now() - began) / 1000).toFixed(0)} s.`);
  }
  return results;
}

/** Returns the tools that Switchboard lists for MCP 2025-11-25. The peers get exactly the same tools. */
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
  // Long measurements run only when they are selected.
  const isUsual = (contest) =>
    contest.startsWith('growth-') ? options.growth : !LONG.includes(contest);
  const usual = all.filter((contest) => smoke || isUsual(contest));
  const wanted = options.contests?.split(',') ?? usual;
  const unknown = wanted.find((contest) => !all.includes(contest));
  if (unknown) throw new Error(`Unknown contest ${unknown}. Use one of ${all.join(', ')}.`);
  return wanted;
}

function report(measured) {
  if (smoke) {
    console.log(
      `The bench works. These contests gave correct results: ${Object.keys(measured).join(', ')}.`,
    );
    return;
  }
  if (only && !options.record) {
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

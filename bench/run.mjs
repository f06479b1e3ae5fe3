// Measures Switchboard beside its peers, all in one run on one machine, in interleaved rounds.
//   npm run bench [-- --smoke] [-- --rounds=5] [-- --seconds=4] [-- --only=switchboard,dbos]
// Writes RESULTS.md and results.json, except with --smoke, which only looks whether everything works. Fails when a
// contestant answers wrongly; no timing makes it fail.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../scripts/build.mjs';
import { measureBoot } from './boot.mjs';
import { answerOf, assertValidates, CONTESTS, requestOf } from './contests.mjs';
import { measureDurable } from './durable.mjs';
import { runToEnd, start } from './processes.mjs';
import { describeMachine, toMarkdown } from './report.mjs';
import { median } from './statistics.mjs';

const MCP = ['2025-11-25', '2026-07-28'];
/** Who takes part: script, arguments, the eras it speaks, and whether it answers batches in them. */
const CONTESTANTS = {
  switchboard: {
    kind: 'switchboard',
    title: 'Switchboard',
    eras: ['plain', ...MCP],
    batches: true,
  },
  'sdk-v1': {
    kind: 'peer',
    title: 'SDK v1 1.32.2, McpServer',
    eras: ['2025-11-25'],
    batches: true,
  },
  'sdk-v1-low-level': {
    kind: 'peer',
    title: 'SDK v1 1.32.2, Server',
    script: 'sdk-v1',
    args: ['--low-level'],
    eras: ['2025-11-25'],
    batches: true,
  },
  'sdk-v2': { kind: 'peer', title: 'SDK v2 2.4.0, McpServer', eras: MCP, batches: true },
  'mcp-nest': { kind: 'peer', title: 'MCP-Nest 2.0.5', eras: MCP, batches: true },
  'nest-express': { kind: 'bare', title: 'Bare Nest + Express', eras: ['plain'], batches: true },
  'node-http': { kind: 'bare', title: 'Bare node:http', eras: ['plain'], batches: true },
};
const CONNECTIONS = 16;
const here = import.meta.dirname;

const { values: options } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string' },
  },
});
const rounds = Number(options.rounds ?? 5);
const seconds = Number(options.seconds ?? 4);
const only = options.only?.split(',');
const names = Object.keys(CONTESTANTS).filter((name) => !only || only.includes(name));

installPeers();
await build();
const { EmbeddedPostgres } = await import('../dist/src/database/embedded/embedded-postgres.js');
const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
// The server of the embedded database may run as another user, who must be able to reach its data.
chmodSync(folder, 0o711);
const database = process.env.DATABASE_URL
  ? { url: process.env.DATABASE_URL, stop: async () => undefined }
  : await EmbeddedPostgres.start({
      dataDir: join(folder, 'data'),
      // Room for all contestants; nothing else differs from what Switchboard ships.
      settings: { max_connections: '200' },
    });
const running = [];
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}
try {
  const results = await measure();
  report(results);
} finally {
  await cleanUp();
}

async function cleanUp() {
  await Promise.all(running.map(({ stop }) => stop()));
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
  const switchboard = await start('contestants/switchboard.mjs', [], env);
  running.push(switchboard);
  const tools = await toolsOf(switchboard);
  const toolsFile = join(folder, 'tools.json');
  writeFileSync(toolsFile, JSON.stringify(tools));
  const entries = [];
  for (const name of names) {
    const { kind, title, script = name, args = [], eras, batches = false } = CONTESTANTS[name];
    const { url, key, cpuSeconds } =
      kind === 'switchboard'
        ? switchboard
        : await startPeer(`contestants/${script}.mjs`, [toolsFile, ...args]);
    for (const era of eras) {
      await assertValidates(url, era, key);
      for (const contest of Object.keys(CONTESTS)) {
        // 2026-07-28 has no batches, and the libraries do not answer plain ones.
        if (contest === 'batch' && (!batches || era === '2026-07-28')) continue;
        const request = requestOf(contest, era, key);
        const expected = await answerOf(contest, era, url, request, tools).catch((error) => {
          throw new Error(`${title}, ${era}, ${contest}: ${error.message}`);
        });
        const row = { name, kind, title, era, contest, rounds: [] };
        entries.push({ ...row, url, cpuSeconds, request, expected });
      }
    }
  }
  for (const entry of entries) await load(entry, options.smoke ? { amount: 64 } : { seconds: 2 });
  for (let round = 0; round < rounds && !options.smoke; round += 1) {
    for (const entry of entries) entry.rounds.push(await load(entry, { seconds }));
    console.log(`Round ${round + 1} of ${rounds} is done.`);
  }
  const place = { databaseUrl: database.url, postgresPid: database.pid };
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    settings: { connections: CONNECTIONS, rounds, seconds, tools: tools.length },
    entries: entries.map(({ name, kind, title, era, contest, rounds }) => {
      const medianOf = (key) => (options.smoke ? 0 : median(rounds.map((round) => round[key])));
      const medians = {
        perSecond: medianOf('perSecond'),
        cpuMicroseconds: medianOf('cpuMicroseconds'),
      };
      return { name, kind, title, era, contest, ...medians, rounds };
    }),
    durable: await measureDurable(place, { rounds, seconds, only, smoke: options.smoke }),
    boot: await measureBoot(options.smoke ? 1 : rounds, env, tools),
  };
}

async function load({ title, era, contest, url, cpuSeconds, request, expected }, extent) {
  const before = cpuSeconds();
  const input = { url, ...request, expected, connections: CONNECTIONS, ...extent };
  const { answered, wrong, seconds: took, p50, p99 } = await runToEnd('load.mjs', input);
  if (wrong > 0 || answered === 0) {
    throw new Error(
      `${title}, ${era}, ${contest}: ${wrong} wrong answers, ${answered} right ones.`,
    );
  }
  const calls = answered * CONTESTS[contest].calls;
  return {
    perSecond: calls / took,
    cpuMicroseconds: ((cpuSeconds() - before) * 1e6) / calls,
    p50,
    p99,
  };
}

async function startPeer(script, args) {
  const peer = await start(script, args);
  running.push(peer);
  return peer;
}

async function toolsOf({ url, key }) {
  const { headers, body } = requestOf('list', '2025-11-25', key);
  const response = await fetch(url, { method: 'POST', headers, body });
  const { result } = await response.json();
  return result.tools;
}

function report(results) {
  if (options.smoke) {
    const count = results.entries.length + results.durable.length;
    console.log(`The bench works: ${count} contests were answered rightly.`);
    return;
  }
  const table = toMarkdown(results);
  console.log(table);
  writeFileSync(join(here, 'RESULTS.md'), table);
  writeFileSync(join(here, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
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

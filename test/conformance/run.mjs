// npm run conformance
// Runs the official MCP conformance suite against the built server with the fixtures that the suite requires. It works
// offline once its packages are installed. Everything runs on loopback and is stopped at the end.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build, BuildError } from '../../scripts/build.mjs';
import { setup as installSuite } from './install-suite.mjs';
import { startProxy } from './proxy.mjs';
import { readBaseline, runRequirements, scoredScenarios } from './suite.mjs';

const REVISIONS = ['2026-07-28', '2025-11-25'];
const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 20_000;
const VERDICT_CHARACTERS = 2000;

const cleanUps = [];
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (interrupted) return;
    interrupted = true;
    void cleanUp().finally(() => process.exit(128 + constants.signals[signal]));
  });
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  // Failures after an interruption say nothing about the server.
  if (!interrupted) {
    console.error(error instanceof BuildError ? error.message : error);
    process.exitCode = 1;
  }
} finally {
  await cleanUp();
}

async function main() {
  installSuite();
  await build();
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-conformance-'));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  // When this runs as root, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o711);
  const url = await startServer(join(folder, 'data'));
  const proxy = await startProxy({ target: url, apiKey: await createKey(url) });
  cleanUps.push(() => proxy.close());

  const rows = [];
  for (const revision of REVISIONS) {
    const result = await runRequirements({
      revision,
      url: `${proxy.url}/api/mcp`,
      baseline: baselineOf(revision),
      folder: join(folder, revision),
      onStart: (child) => cleanUps.push(() => child.kill('SIGKILL')),
    });
    if (interrupted) throw new Error('Interrupted.');
    rows.push(report(revision, result));
  }
  console.log('\nMCP conformance, required scenarios:');
  console.table(Object.fromEntries(rows.map(({ revision, counts }) => [revision, counts])));
  const ok = rows.every(({ isExpected }) => isExpected);
  console.log(ok ? 'Conformance: as expected.' : 'Conformance: NOT as expected, see above.');
  return ok;
}

/**
 * Counts the results of a run. Failures in the baseline count as baselined, and warnings in the baseline count as
 * passed. The verdict is that of the suite. It is also negative when an entry of the baseline is not needed.
 */
function report(revision, { ok, output, checks }) {
  const counts = { required: 0, passed: 0, baselined: 0, failed: 0 };
  const lines = [];
  const excused = readBaseline(baselineOf(revision));
  for (const scenario of scoredScenarios(revision)) {
    counts.required += 1;
    const ran = checks.get(scenario) ?? [];
    const bad = ran.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    const isExcused = (check) => excused.has(scenario) || excused.has(`${scenario}:${check.id}`);
    if (ran.length === 0) lines.push(`  ${scenario}: did not run`);
    for (const check of bad) {
      const excuse = isExcused(check) ? 'baselined, ' : '';
      lines.push(`  ${excuse}${scenario}: ${check.id}: ${check.errorMessage ?? check.description}`);
    }
    if (ran.length === 0 || !bad.every(isExcused)) counts.failed += 1;
    else if (bad.some(({ status }) => status === 'FAILURE')) counts.baselined += 1;
    else counts.passed += 1;
  }
  const isExpected = ok && counts.failed === 0;
  console.log(`\n${revision}: ${isExpected ? 'as expected' : 'NOT as expected'}`);
  for (const line of lines) console.log(line);
  // The output ends with the verdict of the suite. The printed lines contain everything before it.
  if (!isExpected) console.log(output.slice(-VERDICT_CHARACTERS));
  return { revision, isExpected, counts };
}

function baselineOf(revision) {
  return join(import.meta.dirname, `baseline-${revision}.yml`);
}

async function startServer(dataDir) {
  const port = await freePort();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server.mjs')], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.resume();
  const exited = new Promise((resolve) => child.once('exit', resolve));
  cleanUps.push(async () => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await exited;
    clearTimeout(late);
  });
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_LIMIT_MS;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`The server exited with code ${child.exitCode}.`);
    if (Date.now() > deadline) throw new Error('The server did not start in time.');
    await sleep(100);
  }
  return url;
}

async function isReady(url) {
  return await fetch(`${url}/health/ready`).then(
    (response) => response.ok,
    () => false,
  );
}

/** Signs up an organization over HTTP and creates its API key. */
async function createKey(url) {
  const json = { 'Content-Type': 'application/json' };
  const account = {
    email: 'conformance@example.com',
    password: 'correct horse battery staple',
    organization_name: 'Conformance',
  };
  const signedUp = await fetch(`${url}/api/auth/sign-up`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(account),
  });
  const cookie = signedUp.headers.getSetCookie()[0]?.split(';')[0];
  if (!cookie) throw new Error(`Signing up failed: ${await signedUp.text()}`);
  const made = await fetch(`${url}/api/mcp/keys`, {
    method: 'POST',
    headers: { Cookie: cookie, Origin: url },
  });
  if (made.status !== 201) throw new Error(`Creating the key failed: ${await made.text()}`);
  return (await made.json()).api_key;
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Stops everything once, the last started first. */
async function cleanUp() {
  for (const step of cleanUps.splice(0).toReversed()) {
    try {
      await step();
    } catch (error) {
      console.error(error);
    }
  }
}

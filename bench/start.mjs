// Prints how long a start takes and how much memory the idle process uses.
//   node bench/start.mjs [rounds]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, chmodSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const rounds = Number(process.argv[2] ?? 3);
const root = resolve(import.meta.dirname, '..');
const PORT = 3999;
const PAUSE_MS = 5000;
const results = { first: [], warm: [], idleMiB: [] };

// All folders are deleted at the end, because deleting thousands of files would slow the next start down.
const parent = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
chmodSync(parent, 0o711);
try {
  for (let round = 0; round < rounds; round += 1) {
    const dataDir = join(parent, String(round));
    // Without this pause, the disk would still write the files of the last round.
    await sleep(PAUSE_MS);
    results.first.push(await measureStart(dataDir));
    results.warm.push(await measureStart(dataDir, measureIdle));
  }
} finally {
  rmSync(parent, { recursive: true, force: true });
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const show = (label, values, unit) =>
  console.log(
    `${label}: median ${median(values).toFixed(0)} ${unit} (${values.map((value) => value.toFixed(0)).join(', ')})`,
  );
show('First start with the embedded database, until it is ready', results.first, 'ms');
show('Later start, until it is ready', results.warm, 'ms');
show('Memory of the idle process without PostgreSQL', results.idleMiB, 'MiB');

/**
 * Starts the service, calls `work` with the process id of the service, and stops the service. Returns the milliseconds
 * until the service was ready.
 */
async function measureStart(dataDir, work = async () => undefined) {
  const began = performance.now();
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    env: { ...process.env, PORT: String(PORT), DATA_DIR: dataDir },
    stdio: 'ignore',
  });
  const exited = new Promise((done) => child.once('exit', done));
  try {
    // The loop only opens connections. Requests would take processor time away from the start.
    while (!(await accepts())) await sleep(10);
    await assertReady();
    const elapsed = performance.now() - began;
    await work(child.pid);
    return elapsed;
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

async function measureIdle(pid) {
  await sleep(PAUSE_MS);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  results.idleMiB.push(Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024);
}

/** Returns true when something listens on the port. */
async function accepts() {
  const socket = connect(PORT, '127.0.0.1');
  return await new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

async function assertReady() {
  const response = await fetch(`http://127.0.0.1:${PORT}/health/ready`);
  if (!response.ok)
    throw new Error(
      `The service listens but is not ready: /health/ready answered ${response.status}.`,
    );
}

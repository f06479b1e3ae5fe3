// Tests the first start of a new user in a clean copy of the tree: `npm ci`, `npm start`, the three printed commands
// pasted into a shell, their effects, and a stop with SIGTERM. Then it tests a second start, a start after kill -9,
// and a port that is in use. Run by .ci/run; needs curl.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const source = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'switchboard-first-start-'));
const project = join(folder, 'switchboard');
// When this runs as root, PostgreSQL runs as another user, who must be able to enter the data folder.
execFileSync('chmod', ['711', folder]);
const dataDir = join(folder, 'data');
const port = await freePort();
const env = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  PORT: String(port),
  DATA_DIR: dataDir,
};
const children = new Set();

try {
  step('copies the tracked files');
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: source }).toString().split('\0');
  for (const file of files.filter(Boolean)) {
    if (existsSync(join(source, file))) cpSync(join(source, file), join(project, file));
  }

  step('npm ci leaves a built tree');
  execFileSync('npm', ['ci'], { cwd: project, env, stdio: 'inherit' });
  assert.ok(existsSync(join(project, 'dist/src/main.js')));
  assert.ok(existsSync(join(project, 'dist/cluster-template.gz')));

  step('npm start prints three commands');
  const first = await start();
  const commands = first.output.match(/^curl .*$/gm);
  assert.equal(commands?.length, 3, first.output);
  const [listTools, sendMessage, fireWebhook] = commands;

  step('1. lists the tools');
  const { result: list } = JSON.parse(paste(listTools));
  const names = list.tools.map((tool) => tool.name);
  for (const name of ['create_contact', 'search_contacts', 'send_message', 'trigger_workflow']) {
    assert.ok(names.includes(name), name);
  }

  step('2. sends a message, which becomes an .eml file');
  const sent = JSON.parse(paste(sendMessage)).result;
  assert.notEqual(sent.isError, true, JSON.stringify(sent));
  const { message } = JSON.parse(sent.content[0].text);
  await until(() => readOutbox().some((mail) => mail.includes('Hello from Switchboard.')));
  assert.equal(
    (await call('get_message', { message_id: message.id })).message.to,
    'ada@example.com',
  );

  step('3. fires the signed webhook, whose run succeeds');
  const { ok, runId } = JSON.parse(paste(fireWebhook));
  assert.equal(ok, true);
  await until(async () => (await call('get_run', { run_id: runId })).run.status === 'succeeded');
  await until(() => readOutbox().some((mail) => mail.includes('Welcome, Ada')));
  const forged = paste(fireWebhook.replace(/(x-webhook-signature: )./, (_, name) => `${name}f`));
  if (!forged.includes(runId)) assert.match(forged, /invalid_signature|"ok":true/);

  step('stops at SIGTERM with code 0');
  assert.equal(await stop(first, 'SIGTERM'), 0);
  assert.ok(!existsSync(join(dataDir, 'pg/postmaster.pid')));

  step('starts again with its data, and shows no secret');
  const second = await start();
  assert.doesNotMatch(second.output, /swb_|whsec_|Password/);
  assert.equal((await call('get_run', { run_id: runId })).run.status, 'succeeded');

  step('says that the port is in use');
  const third = run({ ...env, DATA_DIR: join(folder, 'other') });
  assert.equal(await third.exited, 1);
  assert.match(third.output, new RegExp(`Port ${port} is already in use`));

  step('starts again after kill -9');
  process.kill(await listenerPid(), 'SIGKILL');
  await second.exited;
  const fourth = await start();
  assert.equal((await call('get_run', { run_id: runId })).run.status, 'succeeded');

  step('stops at Ctrl-C with code 0');
  assert.equal(await stop(fourth, 'SIGINT'), 0);
  assert.ok(!existsSync(join(dataDir, 'pg/postmaster.pid')));

  step('npm ci --ignore-scripts && npm start works too');
  execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: project, env, stdio: 'inherit' });
  rmSync(join(project, 'dist'), { recursive: true });
  assert.equal(await stop(await start(), 'SIGTERM'), 0);
  console.log('First start: all steps passed.');
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

function step(text) {
  console.log(`- ${text}`);
}

function run(environment) {
  const child = spawn('npm', ['start'], { cwd: project, env: environment, detached: true });
  children.add(child);
  const started = { child, output: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => (started.output += data));
  }
  started.exited = new Promise((resolve) =>
    child.once('exit', (code) => {
      children.delete(child);
      resolve(code);
    }),
  );
  return started;
}

async function start() {
  const started = run(env);
  await until(() => {
    assert.equal(started.child.exitCode, null, started.output);
    return /Stop with Ctrl-C|Sign in:\n.*curl/.test(started.output);
  });
  started.key = /API key +(\S+)/.exec(started.output)?.[1];
  if (started.key) process.env.FIRST_START_KEY = started.key;
  return started;
}

async function stop(started, signal) {
  // The process that listens gets the signal, as from a terminal or a service manager.
  process.kill(await listenerPid(), signal);
  await started.exited;
  return /Stopped\./.test(started.output) ? 0 : started.output;
}

/** Returns the id of the Node.js process that listens. npm starts this process through shells with other ids. */
async function listenerPid() {
  const lines = execFileSync('ps', ['-eo', 'pid=,args=']).toString().split('\n');
  const own = lines.filter(
    (line) => line.includes('scripts/start.mjs') && !/\b(sh|npm)\b/.test(line),
  );
  const pids = own
    .map((line) => Number(line.trim().split(/\s+/)[0]))
    .filter((pid) => environmentOf(pid).includes(`DATA_DIR=${dataDir}`));
  assert.equal(pids.length, 1, own.join('\n'));
  return pids[0];
}

/** Returns the environment of a process. The text is empty if the process belongs to another user. */
function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

function paste(command) {
  return execFileSync('bash', ['-c', command], { encoding: 'utf8' });
}

async function call(name, given) {
  const response = await fetch(`http://127.0.0.1:${port}/api/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${process.env.FIRST_START_KEY}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: given },
    }),
  });
  const { result } = await response.json();
  return JSON.parse(result.content[0].text);
}

function readOutbox() {
  const outbox = join(dataDir, 'outbox');
  if (!existsSync(outbox)) return [];
  return readdirSync(outbox)
    .filter((name) => name.endsWith('.eml'))
    .map((name) => readFileSync(join(outbox, name), 'utf8'));
}

async function until(condition) {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (await condition()) return;
    await sleep(100);
  }
  throw new Error('The expected state was not reached in 60 s.');
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: free } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return free;
}

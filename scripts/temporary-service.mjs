// Starts the built service with a temporary database, for the screenshots and for bench/dashboard.mjs.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = resolve(import.meta.dirname, '..');
const BROWSER_TESTS = join(ROOT, 'test/browser/package.json');
const BROWSERS = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/**
 * Starts the service with its demo organization. Returns `{url, databaseUrl, cookie, email, password, call, stop}`;
 * `call(tool, arguments)` calls a tool as the owner, and throws when it fails.
 */
export async function startTemporaryService(env = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-temporary-'));
  // When this runs as root, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o711);
  const dataDir = join(folder, 'data');
  const port = await freePort();
  const child = spawn(process.execPath, ['dist/service/main.js'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: dataDir,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((done) => child.once('exit', done));
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const welcome = await welcomeOf(child, exited);
    const [, email] = /Sign in +(\S+)/.exec(welcome);
    const [, password] = /Password +(\S+)/.exec(welcome);
    const url = `http://127.0.0.1:${port}`;
    const cookie = await signIn(url, { email, password });
    const call = (tool, given = {}) => callTool(url, cookie, tool, given);
    return { url, databaseUrl: databaseUrl(dataDir), cookie, email, password, call, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts an installed Chromium: CHROMIUM_PATH, or the first one on the PATH. */
export async function startBrowser() {
  const { CHROMIUM_PATH: chosen, PATH = '' } = process.env;
  const executablePath =
    chosen ||
    PATH.split(delimiter)
      .flatMap((folder) => BROWSERS.map((name) => join(folder, name)))
      .find((file) => existsSync(file));
  if (!executablePath)
    throw new Error('Chromium was not found. Install it, or set CHROMIUM_PATH to its program.');
  // Chromium cannot use its sandbox as root. Without the sandbox, the browser may open only trusted pages: those of
  // Switchboard.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  // `npm run screenshots` installs this large package. `npm ci` does not.
  const { chromium } = createRequire(BROWSER_TESTS)('playwright-core');
  return await chromium.launch({ executablePath, args });
}

/** Opens a profile of the browser that is signed in as the owner. */
export async function openProfile(browser, { url, cookie }, options = {}) {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  const [name, ...value] = cookie.split('=');
  await context.addCookies([{ name, value: value.join('='), url }]);
  return context;
}

/** Waits until the page shows its content. The stream of changes stays open, so the network is never idle. */
export async function waitForContent(page) {
  await page.locator('h1').first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
}

/** Waits until `state` returns a value, and returns that value. */
export async function waitFor(state) {
  for (;;) {
    const found = await state();
    if (found) return found;
    await sleep(50);
  }
}

async function welcomeOf(child, exited) {
  let output = '';
  const printed = new Promise((done) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (output.includes('Stop with Ctrl-C')) done(output);
    });
  });
  const ended = exited.then((code) => {
    throw new Error(`The service ended with code ${code}:\n${output}`);
  });
  return await Promise.race([printed, ended]);
}

async function signIn(url, account) {
  const response = await fetch(`${url}/api/auth/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: url },
    body: JSON.stringify(account),
  });
  const [cookie] = response.headers.getSetCookie();
  if (!response.ok || !cookie) throw new Error(`The sign-in was answered with ${response.status}.`);
  return cookie.split(';')[0];
}

async function callTool(url, cookie, tool, given) {
  const response = await fetch(`${url}/api/tools/${tool}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: url, Cookie: cookie },
    body: JSON.stringify(given),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${tool}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Returns the URL with which the owner connects to the embedded database. */
function databaseUrl(dataDir) {
  const password = readFileSync(join(dataDir, 'pg.password'), 'utf8').trim();
  const port = readFileSync(join(dataDir, 'pg/postmaster.pid'), 'utf8').split('\n')[3];
  return `postgres://switchboard:${encodeURIComponent(password)}@127.0.0.1:${port}/switchboard`;
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

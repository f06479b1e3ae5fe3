import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const lockFile = join(root, 'dist.lock');
const LOCK_TIMEOUT_MS = 5 * 60_000;
/** Each part of `dist` has a stamp, and is built again only when its own sources have changed. */
const SERVICE = {
  inputs: [
    'src',
    'migrations',
    'scripts/bundle-service.mjs',
    'tsconfig.build.json',
    'package.json',
  ],
  stamp: '.build-stamp',
};
const DASHBOARD = {
  inputs: ['web', 'scripts/build-web.mjs', 'package.json'],
  stamp: 'web/.build-stamp',
};

/** The first start copies this file of `dist` instead of running initdb. */
const TEMPLATE = 'cluster-template.gz';

/** Matches files that are not part of a build: tests and texts for developers. */
const IGNORED = /\.spec\.tsx?$|\.md$/;

/** Reports an expected failure of the build. Its message says what to do, so no stack trace is printed. */
export class BuildError extends Error {}

/**
 * Compiles `src` and `migrations` into `dist`, bundles the service into `dist/service`, and builds the dashboard of
 * `web` into `dist/web`. Parts that were built from exactly these sources are not built again. Throws a `BuildError`
 * when the build fails, and keeps an older `dist` unchanged.
 */
export async function build() {
  // An image may contain dist without sources. Then dist cannot be outdated.
  if (!existsSync(join(root, 'src'))) {
    if (existsSync(dist)) return;
    throw new BuildError('Neither src nor dist exists here. Run this in a Switchboard checkout.');
  }
  if (stalePart() === undefined) return;
  const tsc = findTsc();
  if (!tsc) {
    // If an outdated dist were started, an upgrade would look successful although the old code runs.
    throw new BuildError(
      (existsSync(dist)
        ? 'dist was built from other sources, and TypeScript is not installed to build it again.\n'
        : 'Switchboard has not been built, and TypeScript is not installed to build it.\n') +
        'Run: npm ci --include=dev (development packages are left out by --omit=dev and NODE_ENV=production)',
    );
  }
  await withLock(async () => {
    // Another process may have built this part while this process waited.
    if (stalePart() !== undefined) await compile(tsc);
  });
}

/** Builds as {@link build} does. After a `BuildError`, prints its message and exits with the code `code`. */
export async function buildOrExit(code) {
  try {
    await build();
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    console.error(error.message);
    process.exit(code);
  }
}

/** Returns a part of `dist` that is missing or outdated, if there is one. */
function stalePart() {
  return [SERVICE, DASHBOARD].find((part) => !isFresh(part));
}

async function compile(tsc) {
  const began = Date.now();
  console.log('Building Switchboard ...');
  removeLeftovers();
  const draft = join(root, `dist.draft-${process.pid}`);
  const old = join(root, `dist.old-${process.pid}`);
  try {
    // The output goes to a new folder, so that an interrupted build never leaves an incomplete dist, and the
    // output of deleted sources disappears.
    const parts = [buildService(tsc, draft), buildDashboard(join(draft, 'web'))];
    // Waits for both parts, even when one has failed. Otherwise the other part would still write into the folder while
    // the folder is removed.
    await Promise.allSettled(parts);
    await Promise.all(parts);
    if (existsSync(dist)) renameSync(dist, old);
    // The template depends only on the packages, which `npm ci` replaces, and not on the sources.
    if (existsSync(join(old, TEMPLATE))) renameSync(join(old, TEMPLATE), join(draft, TEMPLATE));
    renameSync(draft, dist);
  } finally {
    for (const folder of [old, draft]) rmSync(folder, { recursive: true, force: true });
  }
  console.log(`Built in ${((Date.now() - began) / 1000).toFixed(1)} s.`);
}

async function buildService(tsc, draft) {
  if (isFresh(SERVICE)) {
    const dashboard = join(dist, 'web');
    return cpSync(dist, draft, { recursive: true, filter: (path) => path !== dashboard });
  }
  // The hash is computed before compiling. If a source changes during the build, the next start builds again.
  const stamp = hashOf(SERVICE);
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', draft];
  await run(args, 'The build failed. See the TypeScript errors above.');
  copySql(join(root, 'migrations'), join(draft, 'migrations'));
  const bundler = join(root, 'scripts/bundle-service.mjs');
  const program = join(draft, 'src/main.js');
  await run(
    [bundler, program, join(draft, 'service')],
    'The service could not be bundled. See the errors above.',
  );
  writeFileSync(join(draft, SERVICE.stamp), stamp);
}

async function buildDashboard(draft) {
  if (!existsSync(join(root, 'web'))) return;
  if (isFresh(DASHBOARD)) {
    cpSync(join(dist, 'web'), draft, { recursive: true });
    return;
  }
  if (!isInstalled('@vitejs/plugin-react')) {
    throw new BuildError('Packages of the dashboard are not installed. Run: npm ci --include=dev');
  }
  const stamp = hashOf(DASHBOARD);
  mkdirSync(draft, { recursive: true });
  const script = join(root, 'scripts/build-web.mjs');
  await run([script, draft], 'The build of the dashboard failed. See the errors above.');
  writeFileSync(join(draft, '.build-stamp'), stamp);
}

/** Runs Node.js with these arguments. Throws a `BuildError` when it fails. */
function run(args, failure) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
    child.once('error', reject).once('exit', (status, signal) => {
      if (status === 0) resolve();
      else reject(new BuildError(signal ? `The build was stopped by ${signal}.` : failure));
    });
  });
}

/** Copies the .sql files, which the migrations read when they run. TypeScript does not copy them. */
function copySql(from, to) {
  cpSync(from, to, {
    recursive: true,
    filter: (path) => statSync(path).isDirectory() || path.endsWith('.sql'),
  });
}

function isFresh(part) {
  // Without its sources, for example in a copy for tests, there is no dashboard to build.
  if (part === DASHBOARD && !existsSync(join(root, 'web'))) return true;
  const stamp = join(dist, part.stamp);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(part);
}

function hashOf({ inputs }) {
  const hash = createHash('sha256');
  const add = (path) => {
    hash.update(`${path}\0`);
    hash.update(
      createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest(),
    );
  };
  const walk = (path) => {
    const entries = readdirSync(join(root, path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const child = `${path}/${entry.name}`;
      if (entry.isDirectory()) walk(child);
      else if (entry.isFile() && !IGNORED.test(entry.name)) add(child);
    }
  };
  for (const input of inputs) {
    if (!existsSync(join(root, input))) continue;
    if (statSync(join(root, input)).isFile()) add(input);
    else walk(input);
  }
  return hash.digest('hex');
}

function findTsc() {
  try {
    return createRequire(import.meta.url).resolve('typescript/bin/tsc');
  } catch {
    return null;
  }
}

function isInstalled(name) {
  const folders = createRequire(import.meta.url).resolve.paths(name);
  return folders.some((folder) => existsSync(join(folder, name)));
}

// Without the lock, one of two processes could import files of dist while the other replaces them.
async function withLock(work) {
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  let announced = false;
  while (!tryLock()) {
    if (Date.now() > deadline) {
      throw new BuildError(
        `Another build has not ended. If no build is running, delete ${lockFile}.`,
      );
    }
    if (!announced) console.log('Waiting for another process to build Switchboard ...');
    announced = true;
    await sleep(100);
  }
  try {
    await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function tryLock() {
  if (isStale()) rmSync(lockFile, { force: true });
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw toBuildError(error);
    return false;
  }
}

function isStale() {
  try {
    const holder = readFileSync(lockFile, 'utf8');
    // The file is empty: the other process has not written its id yet, or died before it wrote the id.
    return holder === ''
      ? Date.now() - statSync(lockFile).mtimeMs > 5_000
      : !isAlive(Number(holder));
  } catch {
    return false;
  }
}

// Removes folders of builds that were killed. Only the process that has the lock may call this.
function removeLeftovers() {
  for (const entry of readdirSync(root)) {
    if (/^dist\.(draft|old)-\d+$/.test(entry)) rmSync(join(root, entry), { recursive: true });
  }
}

function toBuildError(error) {
  return ['EACCES', 'EPERM', 'EROFS'].includes(error.code)
    ? new BuildError(
        `dist is missing or outdated, and ${root} is not writable. Run "npm run build" as a user who can write there.`,
      )
    : error;
}

function isAlive(pid) {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

async function main() {
  const isInstall = process.argv.includes('--on-install');
  if (isInstall) {
    // Image builds install packages before they copy src, to keep the packages in a separate layer.
    if (!existsSync(join(root, 'src'))) return;
    if (!findTsc()) {
      console.log('Switchboard was not built: TypeScript is not installed (--omit=dev).');
      return;
    }
  }
  try {
    await build();
    if (isInstall) await prepareTemplate();
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

/**
 * Makes the template of the embedded database. The template only saves time, so an installation also succeeds without
 * it.
 */
async function prepareTemplate() {
  const { makeTemplate } = await import('../dist/src/database/embedded/cluster-template.js');
  await makeTemplate(join(dist, TEMPLATE)).catch(() => undefined);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await main();

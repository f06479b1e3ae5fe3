// npm run dev Starts Switchboard in development: NODE_ENV=development, and a restart after each change of src or
// migrations. The TypeScript compiler watches and writes to dist, so its errors stay visible until they are fixed.
// Meanwhile the service runs the last version that compiles. For changes of `web`, run `npm run dev:web` too.
import { spawn } from 'node:child_process';
import { rmSync, watch } from 'node:fs';
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildOrExit } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Matches the line that tsc prints after each compilation. */
const COMPILED = /Found (\d+) errors?\. Watching/;
/** The pause before a changed .sql file is copied, because an editor may change a file several times when it saves. */
const SETTLE_MS = 100;
/**
 * True on systems where the service can have its own process group. Then Ctrl-C sends a signal only to this process,
 * which ends the service. In a shared group, the service would get two signals, one from Ctrl-C and one from this
 * process. The second signal would end the service before its work is finished.
 */
const hasGroups = process.platform !== 'win32';

let service;
let restarting = Promise.resolve();
let isStopping = false;

await buildOrExit(1);
// The compiler changes dist from now on, so the next `npm start` has to build it again.
rmSync(join(root, 'dist/.build-stamp'), { force: true });
startService();
const compiler = watchSources();
watchSql();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop(signal));

function watchSources() {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', 'dist', '--watch'];
  const child = spawn(process.execPath, [...args, '--preserveWatchOutput'], {
    cwd: root,
    detached: hasGroups,
  });
  let isFirst = true;
  createInterface(child.stdout).on('line', (line) => {
    const [, errors] = COMPILED.exec(line) ?? [];
    if (errors === undefined) {
      // Prints the lines of the compiler that are about errors. Every other line only says that the compiler is
      // watching.
      if (/error TS|^\s/.test(line)) console.error(line);
    } else if (errors !== '0') {
      console.error(`${errors} errors. The service goes on with the last version that compiles.`);
    } else if (isFirst) {
      isFirst = false;
      console.log('Watching for changes.');
    } else restart();
  });
  return child;
}

/** SQL functions are read when the service starts. The compiler does not copy them. */
function watchSql() {
  let timer;
  watch(join(root, 'migrations'), { recursive: true }, (_event, file) => {
    if (!file?.endsWith('.sql')) return;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      await cp(join(root, 'migrations', file), join(root, 'dist/migrations', file), {
        force: true,
      }).catch(() => undefined);
      restart();
    }, SETTLE_MS);
  });
}

function startService() {
  const env = { NODE_ENV: 'development', ...process.env };
  service = spawn(process.execPath, ['--enable-source-maps', 'dist/src/main.js'], {
    cwd: root,
    env,
    stdio: 'inherit',
    detached: hasGroups,
  });
  const started = service;
  started.once('exit', (code) => {
    if (started === service && !isStopping) {
      console.error(`The service ended with code ${code}. It starts again after the next change.`);
    }
  });
}

/** Starts the service again after its process has ended. Changes in the meantime cause one more restart. */
function restart() {
  restarting = restarting.then(async () => {
    if (isStopping) return;
    const old = service;
    service = undefined;
    await end(old);
    startService();
  });
}

async function end(child) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}

async function stop(signal) {
  isStopping = true;
  compiler.kill(signal);
  await end(service);
  process.exit(0);
}

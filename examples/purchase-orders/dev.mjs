// npm run dev Compiles after each change of the sources, and starts the program again. While the sources have an error,
// the last version that compiles keeps running.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

/** Matches the line that tsc prints after each compilation. */
const COMPILED = /Found (\d+) errors?\. Watching/;

let program;
let restarting = Promise.resolve();
let isStopping = false;

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const compiler = run([tsc, '--watch', '--preserveWatchOutput'], 'pipe');
createInterface(compiler.stdout).on('line', (line) => {
  const errors = COMPILED.exec(line)?.[1];
  if (errors === '0') restarting = restarting.then(restart);
  // Every other line of the compiler reports only that the compiler is watching, and is not printed.
  else if (errors || /error TS|^\s/.test(line)) console.error(line);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);

async function restart() {
  await end(program);
  if (isStopping) return;
  program = run(['--enable-source-maps', 'dist/src/main.js'], 'inherit');
}

async function stop() {
  isStopping = true;
  compiler.kill();
  await end(program);
  process.exit(0);
}

function run(args, stdout) {
  return spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    env: { NODE_ENV: 'development', ...process.env },
    stdio: ['ignore', stdout, 'inherit'],
    // With its own process group, the program gets only the signal that this process sends, and none from Ctrl-C. A
    // second signal would end the program before its work is finished.
    detached: process.platform !== 'win32',
  });
}

async function end(child) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}

// Starting and ending the processes that are measured.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const here = import.meta.dirname;

const alive = new Set();
// Also those that were still starting when the bench was stopped.
process.once('exit', () => alive.forEach((child) => child.kill()));

/** Starts a script of this folder and resolves with the facts that it announces on its first line. */
export async function start(script, args, env = {}) {
  const child = spawn(process.execPath, [join(here, script), ...args], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  let complaints = '';
  child.stderr.on('data', (data) => (complaints += data));
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`${script} ended with ${code}: ${complaints}`);
    }),
  ]);
  return {
    ...JSON.parse(line),
    cpuSeconds: () => cpuSecondsOf(child.pid),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Runs a script of this folder to its end, and resolves with the JSON that it prints. */
export async function runToEnd(script, input) {
  const child = spawn(process.execPath, [join(here, script)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stdin.end(JSON.stringify(input));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${script} ended with ${code}.`);
  return JSON.parse(output);
}

// The clock of /proc ticks a hundred times a second on every Linux.
const TICKS_PER_SECOND = 100;

/** Processor time that a process has used so far; NaN where the system does not tell. */
function cpuSecondsOf(pid) {
  if (process.platform !== 'linux') return Number.NaN;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold anything; user and system time are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

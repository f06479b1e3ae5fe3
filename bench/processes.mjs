// Starts, measures and ends the processes of contestants.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const here = import.meta.dirname;

const alive = new Set();
// Ends all processes when the bench stops, also those that are still starting.
process.once('exit', () => alive.forEach((child) => child.kill()));

/** Starts a script of this folder. Resolves with the JSON on its first line of output. */
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
      throw new Error(`${script} exited with code ${code}: ${complaints}`);
    }),
  ]);
  return {
    ...JSON.parse(line),
    pid: child.pid,
    // A contestant may have its own server as a child process.
    cpuSeconds: () => treeCpuSeconds(child.pid),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Runs a script of this folder to its end. Resolves with the JSON that it prints. */
export async function runToEnd(script, input) {
  const child = spawn(process.execPath, [join(here, script)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stdin.end(JSON.stringify(input));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${script} exited with code ${code}.`);
  return JSON.parse(output);
}

// Linux reports times in /proc in units of 10 ms.
const TICKS_PER_SECOND = 100;

/** Returns the processor time that a process has used; NaN on systems without /proc. */
function cpuSecondsOf(pid) {
  if (process.platform !== 'linux') return Number.NaN;
  const { user, system } = statOf(pid);
  return (user + system) / TICKS_PER_SECOND;
}

/** Returns the processor time of a process and all its children, including those that have ended. */
export function treeCpuSeconds(pid) {
  if (process.platform !== 'linux' || pid === undefined) return Number.NaN;
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = all.flatMap((name) => {
    try {
      return statOf(name).parent === pid ? [cpuSecondsOf(name)] : [];
    } catch {
      return []; // The process has ended meanwhile.
    }
  });
  const { endedUser, endedSystem } = statOf(pid);
  const ended = (endedUser + endedSystem) / TICKS_PER_SECOND;
  return children.reduce((sum, seconds) => sum + seconds, cpuSecondsOf(pid) + ended);
}

/** Returns the resident memory of a process; NaN on systems without /proc. */
export function memoryOf(pid) {
  const mebibytes = (file, field) => {
    if (process.platform !== 'linux') return Number.NaN;
    const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)[1]) / 1024;
  };
  return {
    residentMiB: mebibytes('status', 'VmRSS'),
    proportionalMiB: mebibytes('smaps_rollup', 'Pss'),
  };
}

function statOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain any character, so the fields are counted from its end.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return {
    parent: fields[1],
    user: fields[11],
    system: fields[12],
    endedUser: fields[13],
    endedSystem: fields[14],
  };
}

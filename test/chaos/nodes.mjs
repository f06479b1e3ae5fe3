import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const RESTART_MS = 200;
/** The time from the start of a process until it is assumed to have work, in milliseconds. */
const WARM_MS = 500;
const STOP_LIMIT_MS = 25_000;
const KEPT_OUTPUT = 20_000;

/** Supervises one Switchboard process: starts it again whenever it ends. */
export class Node {
  #env;
  #child;
  #retired = false;
  #expected = false;
  #output = '';
  #readyAt;
  paused = false;

  /** `tally` is shared by all nodes of a round and counts their events. */
  constructor(role, port, env, tally) {
    this.role = role;
    this.port = port;
    this.tally = tally;
    this.#env = { ...env, ROLE: role, PORT: String(port), HOST: '127.0.0.1' };
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  get ready() {
    return this.#readyAt !== undefined;
  }

  /** True after the process was ready for WARM_MS, until it is paused or gets the signal to end. */
  get working() {
    return this.ready && !this.paused && !this.#expected && Date.now() - this.#readyAt > WARM_MS;
  }

  start() {
    this.#readyAt = undefined;
    this.paused = false;
    this.#expected = false;
    const child = spawn(process.execPath, [join(import.meta.dirname, 'node.mjs')], {
      env: { PATH: process.env.PATH, ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        this.#output = (this.#output + data.toString()).slice(-KEPT_OUTPUT);
        if (/listens on|worker is running/.test(data.toString())) this.#readyAt ??= Date.now();
      });
    }
    child.once('exit', (code) => {
      if (this.#retired) return;
      if (!this.#expected && this.ready) {
        this.tally.unexpectedExits.push(`${this.role} ended with ${code}: ${this.#output}`);
      } else if (!this.#expected) {
        this.tally.failedStarts += 1;
      }
      setTimeout(() => !this.#retired && this.start(), RESTART_MS);
    });
  }

  async untilReady() {
    while (!this.ready) await sleep(50);
  }

  kill() {
    this.#expected = true;
    this.#child.kill('SIGKILL');
  }

  async pause(ms) {
    const child = this.#child;
    child.kill('SIGSTOP');
    this.paused = true;
    await sleep(ms);
    child.kill('SIGCONT');
    if (this.#child === child) this.paused = false;
  }

  /** Restarts the process as a deployment does. It must stop within 25 s with code 0. */
  async roll() {
    const child = this.#child;
    if (!this.ready || this.paused || this.#expected) return;
    this.#expected = true;
    const began = Date.now();
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const [code, signal] = await exited;
    const took = Date.now() - began;
    // Skips a process that another fault has killed, because its end was not a regular stop.
    if (signal === null)
      this.tally.stops.push({ code, took, isFine: code === 0 && took <= STOP_LIMIT_MS });
    await this.untilReady();
  }

  async retire() {
    this.#retired = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

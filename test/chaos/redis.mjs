import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs a Redis server without persistence. */
export class Redis {
  #child;
  #folder;

  constructor(port, folder) {
    this.port = port;
    this.#folder = folder;
  }

  get url() {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start() {
    const args = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', ''];
    this.#child = spawn('redis-server', [...args, '--dir', this.#folder], { stdio: 'ignore' });
    while (!(await this.#send('PING'))) await sleep(50);
  }

  async flushAll() {
    await this.#send('FLUSHALL');
  }

  async kill() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  /** Sends the command. Resolves to true when Redis responds, and to false when the connection fails or breaks. */
  #send(command) {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => socket.write(`${command}\r\n`));
      const end = (hasResponse) => {
        resolve(hasResponse);
        socket.destroy();
      };
      // A Redis that is killed after it has read the command closes the connection without an error.
      socket.once('data', () => end(true)).once('error', () => end(false));
      socket.once('close', () => end(false));
    });
  }
}

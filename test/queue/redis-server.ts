import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createConnection } from 'node:net';
import { findRedisServer } from '../support/find-program.js';
import { waitFor } from '../support/wait-for.js';

/** Runs a Redis that a test can kill. It stores nothing on disk, so a restart loses all data, like FLUSHALL. */
export class RedisServer {
  private child?: ChildProcess;

  constructor(readonly port: number) {}

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    this.child = spawn(
      findRedisServer()!,
      ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--dir', tmpdir()],
      { stdio: 'ignore' },
    );
    await waitFor(() =>
      this.command('PING').then(
        (answer) => answer === '+PONG',
        () => false,
      ),
    );
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Stops or continues the process. A stopped Redis keeps its connections and does not answer. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.child!.kill(name);
  }

  /** Sends an inline command and resolves with the first line of the answer. */
  command(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(this.port, '127.0.0.1', () => socket.write(`${text}\r\n`));
      socket.once('data', (data) => {
        resolve(data.toString().split('\r\n')[0]!);
        socket.destroy();
      });
      socket.once('error', reject);
    });
  }
}

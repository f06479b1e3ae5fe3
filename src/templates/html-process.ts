import { type ChildProcess, fork } from 'node:child_process';
import type { ProcessMessage } from './html-job.js';

/** The limits of the heap. V8 aborts the process that exceeds them. */
const HEAP_LIMITS = ['--max-old-space-size=128', '--max-semi-space-size=8'];

/** A child process that inlines the CSS of one HTML document after the other. */
export class HtmlProcess {
  private readonly child: ChildProcess;
  /** Resolves when the process has ended, or could not start. */
  readonly ended: Promise<void>;

  /** Starts the process. Throws when the system refuses immediately. `onMessage` gets `ready` first. */
  constructor(onMessage: (message: ProcessMessage) => void) {
    const child = fork(new URL('./html-process-main.mjs', import.meta.url), [], {
      // The process gets neither secrets nor options of Node.js, such as --inspect with its port.
      env: {},
      execArgv: HEAP_LIMITS,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.child = child;
    child.on('message', onMessage);
    this.ended = new Promise((resolve) => {
      child.once('exit', () => resolve());
      // A process that did not start has no id, and emits no `exit`.
      child.on('error', () => (child.pid === undefined ? resolve() : child.kill('SIGKILL')));
    });
  }

  send(html: string): void {
    // Without a callback, an error would be thrown when the process has just died. `ended` reports this death.
    this.child.send(html, () => undefined);
  }

  /** Ends the process immediately, even in the middle of its work. Resolves when it has ended. */
  async end(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

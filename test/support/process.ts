import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { waitFor } from './wait-for.js';

const ROOT = resolve(import.meta.dirname, '../..');

/** A Switchboard process that was started from the built tree with `npm start`. */
export interface SwitchboardProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  output(): string;
  /** Resolves when the output matches. Throws when the process ends before the output matches. */
  untilSaid(pattern: RegExp): Promise<void>;
}

/** Builds `dist` when it does not match the sources. */
export function buildTree(): void {
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT });
}

/**
 * Bundles a program of the tests with the service, as the service is bundled for `npm start`, and returns the file.
 * Each process of the bundle loads in a third of the processor time. The folder of the file belongs to the caller.
 */
export function bundleProgram(program: string): string {
  buildTree();
  // The folder must be below the checkout. Otherwise, the bundle would not find the packages that are not part of it.
  const folder = resolve(ROOT, 'dist/programs', String(process.pid));
  execFileSync(process.execPath, ['scripts/bundle-service.mjs', program, folder], { cwd: ROOT });
  return resolve(folder, 'main.js');
}

/** Starts a process in `folder`, whose `.env` it reads. By default, the folder has no `.env`. */
export function startProcess(env: Record<string, string>, folder = tmpdir()): SwitchboardProcess {
  const child = spawn(process.execPath, [resolve(ROOT, 'scripts/start.mjs')], {
    cwd: folder,
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => (output += data.toString()));
  }
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  return {
    child,
    exited,
    output: () => output,
    untilSaid: async (pattern) => {
      await waitFor(() => {
        if (child.exitCode !== null && !pattern.test(output))
          throw new Error(`The process ended: ${output}`);
        return pattern.test(output);
      });
    },
  };
}

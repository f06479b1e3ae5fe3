import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';

const MAIN = resolve(import.meta.dirname, '../../../dist/src/command-line/main.js');

export interface CommandOptions {
  /** The address of the service. */
  url?: string;
  key?: string;
  /** The folder in which the command runs. */
  folder?: string;
  /** The standard input of the command. */
  input?: string | Buffer;
  /** Options of Node.js. */
  nodeOptions?: string;
}

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningCommand {
  readonly child: ChildProcess;
  /** Resolves when the process has ended and closed its outputs. */
  readonly result: Promise<CommandResult>;
  /** Returns the text that the command has written to standard error so far. */
  errors(): string;
}

/** Starts `switchboard` of the built tree with a separate environment. */
export function startCommand(
  given: readonly string[],
  { url, key, folder = tmpdir(), input, nodeOptions }: CommandOptions = {},
): RunningCommand {
  const child = spawn(process.execPath, [MAIN, ...given], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      ...(url !== undefined && { SWITCHBOARD_URL: url }),
      ...(key !== undefined && { SWITCHBOARD_KEY: key }),
      ...(nodeOptions !== undefined && { NODE_OPTIONS: nodeOptions }),
    },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  if (input !== undefined) child.stdin!.end(input);
  let [stdout, stderr] = ['', ''];
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const result = new Promise<CommandResult>((done) =>
    child.once('close', (code) => done({ code, stdout, stderr })),
  );
  return { child, result, errors: () => stderr };
}

/** Runs `switchboard` until it ends. */
export async function runCommand(
  given: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return await startCommand(given, options).result;
}

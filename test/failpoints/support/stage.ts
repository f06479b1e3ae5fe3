import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Client } from 'pg';
import type { Failpoint } from '../../../src/failpoints/failpoints.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { freePort } from '../../support/global-setup.js';
import { createOrganization, type TestOrganization } from '../../support/organization.js';
import { bundleProgram } from '../../support/process.js';
import { IS_SLOW, IS_THOROUGH } from '../../support/thorough.js';
import { waitFor } from '../../support/wait-for.js';

/**
 * False in `npm test`, which tests the most important failpoints only. Each test takes seconds of processor time for
 * its processes.
 */
export const HAS_ALL_FAILPOINTS = IS_SLOW || process.env.FAILPOINT_ROUNDS !== undefined;

/**
 * The largest number of rounds in a batch. All rounds of a batch stop at the same failpoint of one process, and end
 * when this process is killed.
 */
const MAX_BATCH = 20;
const ROUNDS = Number(process.env.FAILPOINT_ROUNDS ?? (IS_THOROUGH ? 20 : 5));

/** Lists the sizes of the batches that together make up all rounds. FAILPOINT_ROUNDS sets the number of rounds. */
export const BATCHES = Array.from({ length: Math.ceil(ROUNDS / MAX_BATCH) }, (_, index) =>
  Math.min(MAX_BATCH, ROUNDS - index * MAX_BATCH),
);

/** Runs a process in which execution stops at each armed failpoint. */
export interface StagedProcess {
  readonly role: 'web' | 'worker';
  readonly url: string;
  readonly child: ChildProcess;
  /** Lists the ids of everything that has stopped at a failpoint so far. */
  readonly held: string[];
  /** Makes execution stop at these failpoints, and no longer at other failpoints. */
  arm(...points: Failpoint[]): Promise<void>;
  /** Disarms all failpoints and lets everything continue. */
  open(): void;
  kill(): Promise<void>;
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>;
}

export interface SinkEntry {
  kind: 'call' | 'mail';
  subject: string;
  key: string | null;
}

/** Holds a database, a sink for external effects, one web process without failpoints, and other processes on demand. */
export class Stage {
  private readonly children: ChildProcess[] = [];
  private readonly idle: StagedProcess[] = [];
  private sink: { url: string; smtpUrl: string };
  web: StagedProcess;
  acme: TestOrganization;

  private constructor(
    private readonly database: TestDatabase,
    private readonly owner: Client,
    private readonly driver: Record<string, string>,
    private readonly program: string,
  ) {}

  static async set(driver: Record<string, string> = {}): Promise<Stage> {
    const database = await createTestDatabase();
    const owner = new Client({ connectionString: database.url });
    owner.on('error', () => undefined);
    await owner.connect();
    const program = bundleProgram(resolve(import.meta.dirname, 'main.mjs'));
    const stage = new Stage(database, owner, driver, program);
    const sink = stage.fork(resolve(import.meta.dirname, '../../chaos/sink.mjs'), [], {});
    [stage.sink] = (await once(sink, 'message')) as [{ url: string; smtpUrl: string }];
    stage.web = await stage.start('web');
    stage.acme = await createOrganization(stage.web);
    return stage;
  }

  /** Returns a process of this role with these failpoints armed: a released process, or else a new process. */
  async start(role: 'web' | 'worker', ...points: Failpoint[]): Promise<StagedProcess> {
    const released = this.idle.findIndex((process) => process.role === role);
    if (released < 0) return await this.launch(role, points);
    const [process] = this.idle.splice(released, 1);
    process!.held.length = 0;
    await process!.arm(...points);
    return process!;
  }

  /** Keeps a running process for the next `start`, because loading another process takes seconds. */
  release(process: StagedProcess): void {
    process.open();
    this.idle.push(process);
  }

  /**
   * Ends all leases of runs and messages. Does nothing in thorough tests, where leases end by themselves after 15 s.
   */
  async endLeases(): Promise<void> {
    if (IS_THOROUGH) return;
    await this.query(`update workflow_runs set available_at = now() where status = 'running'`);
    await this.query(`update messages set lease_until = now() where lease_until is not null`);
  }

  async query<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.owner.query<Row>(sql, values)).rows;
  }

  /** Returns all external effects on the subject, in the order in which they happened. */
  async seen(subject: string): Promise<SinkEntry[]> {
    const response = await fetch(`${this.sink.url}/ledger`);
    const ledger = (await response.json()) as SinkEntry[];
    return ledger.filter((entry) => entry.subject === subject);
  }

  /** Lets the sink answer the calls that asked it to wait. */
  async releaseCalls(): Promise<void> {
    await fetch(`${this.sink.url}/release`, { method: 'POST', body: '{}' });
  }

  async clear(): Promise<void> {
    const living = this.children.filter((child) => child.exitCode === null && !child.signalCode);
    const exits = living.map((child) => once(child, 'exit'));
    for (const child of living) child.kill('SIGKILL');
    await Promise.all(exits);
    await this.owner.end();
    await this.database.drop();
    rmSync(dirname(this.program), { recursive: true });
  }

  private async launch(role: 'web' | 'worker', points: Failpoint[]): Promise<StagedProcess> {
    const port = await freePort();
    const child = this.fork(this.program, [JSON.stringify(points)], {
      ROLE: role,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: this.database.url,
      SIGN_UP: 'open',
      SIGN_UP_PER_HOUR: '0',
      NEW_ORGANIZATION_MESSAGES: '100000000',
      NEW_ORGANIZATION_CONTACTS: '100000000',
      NEW_ORGANIZATION_RUNS: '100000000',
      NEW_ORGANIZATION_STORED_MB: '1000000',
      // The pool must be larger than a batch. Transactions that stop at a failpoint keep their connections, and one
      // organization gets two thirds of a pool.
      DATABASE_POOL_SIZE: String(2 * MAX_BATCH),
      // The batch fills all slots of a worker. With a free slot, the worker could claim one of its own runs again.
      WORKER_CONCURRENCY: String(Math.max(...BATCHES)),
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      SMTP_URL: this.sink.smtpUrl,
      SINK_URL: this.sink.url,
      ...this.driver,
    });
    const held: string[] = [];
    let isReady = false;
    let isArmed = false;
    child.on('message', (message: { ready?: true; isArmed?: true; subject: string }) => {
      if (message.ready) isReady = true;
      else if (message.isArmed) isArmed = true;
      else held.push(message.subject);
    });
    const exited = once(child, 'exit') as Promise<[number | null]>;
    await waitFor(() => {
      if (child.exitCode !== null) throw new Error(`A process ended with code ${child.exitCode}.`);
      return isReady;
    }, 60_000);
    const end = async (signal: NodeJS.Signals): Promise<number | null> => {
      child.kill(signal);
      return (await exited)[0];
    };
    return {
      role,
      url: `http://127.0.0.1:${port}`,
      child,
      held,
      arm: async (...names) => {
        isArmed = false;
        child.send({ arm: names });
        await waitFor(() => isArmed);
      },
      open: () => void child.send('open'),
      kill: async () => void (await end('SIGKILL')),
      stop: () => end('SIGTERM'),
    };
  }

  private fork(file: string, args: string[], env: Record<string, string>): ChildProcess {
    const child = fork(file, args, {
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...env },
      // The child must not inherit the arguments of Vitest, which change how packages are resolved.
      execArgv: [],
    });
    this.children.push(child);
    return child;
  }
}

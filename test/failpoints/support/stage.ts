import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Client } from 'pg';
import type { Failpoint } from '../../../src/failpoints/failpoints.js';
import { createTestDatabase } from '../../support/database.js';
import { freePort } from '../../support/global-setup.js';
import { createOrganization, type TestOrganization } from '../../support/organization.js';
import type { Switchboard } from '../../support/switchboard.js';
import { waitFor } from '../../support/wait-for.js';

/** Often enough to be worth it, with time for it: FAILPOINT_ROUNDS=100 npx vitest run test/failpoints */
export const ROUNDS = Number(process.env.FAILPOINT_ROUNDS ?? 5);
/** Rounds that are held, and killed, together. */
const MOST_AT_ONCE = 20;

/** The sizes of the batches that together make up all rounds. */
export const BATCHES = Array.from({ length: Math.ceil(ROUNDS / MOST_AT_ONCE) }, (_, index) =>
  Math.min(MOST_AT_ONCE, ROUNDS - index * MOST_AT_ONCE),
);

/** A process that holds whoever reaches its failpoint. */
export interface StagedProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** Ids of what was held so far. */
  readonly held: string[];
  /** Lets everything pass from now on. */
  open(): void;
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code once everything in work has ended. */
  stop(): Promise<number | null>;
}

export interface SinkEntry {
  kind: 'call' | 'mail';
  subject: string;
  key: string | null;
}

/** A database, a sink, one web process that works as in production, and others on demand. */
export class Stage {
  private readonly children: ChildProcess[] = [];

  private constructor(
    private readonly database: { url: string; drop: () => Promise<void> },
    private readonly owner: Client,
    private readonly driver: Record<string, string>,
  ) {}

  private sink: { url: string; smtpUrl: string };
  web: StagedProcess;
  acme: TestOrganization;

  static async set(driver: Record<string, string> = {}): Promise<Stage> {
    const database = await createTestDatabase();
    const owner = new Client({ connectionString: database.url });
    owner.on('error', () => undefined);
    await owner.connect();
    const stage = new Stage(database, owner, driver);
    const sink = stage.fork('../../chaos/sink.mjs', [], {});
    [stage.sink] = (await once(sink, 'message')) as [{ url: string; smtpUrl: string }];
    stage.web = await stage.start('web');
    stage.acme = await createOrganization({ url: stage.web.url } as Switchboard);
    return stage;
  }

  async start(role: 'web' | 'worker', ...points: Failpoint[]): Promise<StagedProcess> {
    const port = await freePort();
    const child = this.fork('main.mjs', [JSON.stringify(points)], {
      ROLE: role,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: this.database.url,
      // Held transactions hold connections.
      DATABASE_POOL_SIZE: String(MOST_AT_ONCE + 5),
      WORKER_CONCURRENCY: String(MOST_AT_ONCE),
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      SMTP_URL: this.sink.smtpUrl,
      SINK_URL: this.sink.url,
      ...this.driver,
    });
    const held: string[] = [];
    let ready = false;
    child.on('message', (message: { ready?: true; subject: string }) => {
      if (message.ready) ready = true;
      else held.push(message.subject);
    });
    const exited = once(child, 'exit') as Promise<[number | null]>;
    await waitFor(() => {
      if (child.exitCode !== null) throw new Error(`A process ended with code ${child.exitCode}.`);
      return ready;
    }, 60_000);
    const end = async (signal: NodeJS.Signals): Promise<number | null> => {
      child.kill(signal);
      return (await exited)[0];
    };
    return {
      url: `http://127.0.0.1:${port}`,
      child,
      held,
      open: () => void child.send('open'),
      kill: async () => void (await end('SIGKILL')),
      stop: () => end('SIGTERM'),
    };
  }

  async query<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.owner.query<Row>(sql, values)).rows;
  }

  /** What the outside saw of the subject. */
  async seen(subject: string): Promise<SinkEntry[]> {
    const response = await fetch(`${this.sink.url}/ledger`);
    const ledger = (await response.json()) as SinkEntry[];
    return ledger.filter((entry) => entry.subject === subject);
  }

  /** Lets the sink answer the calls that it holds. */
  async release(): Promise<void> {
    await fetch(`${this.sink.url}/release`, { method: 'POST', body: '{}' });
  }

  async clear(): Promise<void> {
    const living = this.children.filter((child) => child.exitCode === null && !child.signalCode);
    const exits = living.map((child) => once(child, 'exit'));
    for (const child of living) child.kill('SIGKILL');
    await Promise.all(exits);
    await this.owner.end();
    await this.database.drop();
  }

  private fork(file: string, args: string[], env: Record<string, string>): ChildProcess {
    const child = fork(resolve(import.meta.dirname, file), args, {
      env: { PATH: process.env.PATH, ...env },
    });
    this.children.push(child);
    return child;
  }
}

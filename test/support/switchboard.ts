import 'reflect-metadata';
import type { Provider } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { AppModule, type Extensions } from '../../src/bootstrap/app.module.js';
import { createHttpApplication } from '../../src/bootstrap/create-http-application.js';
import type { Env } from '../../src/config/env.js';
import { loadEnv } from '../../src/config/load-env.js';
import type { DatabaseAccess } from '../../src/database/setup/database-access.js';
import { prepareDatabase } from '../../src/database/setup/prepare-database.js';
import { PinoLogger } from '../../src/operations/pino-logger.js';
import { ProtocolTools } from '../mcp/support/protocol.tools.js';
import { allowSharedSink } from '../outbound/support/shared-sink.js';
import { ProbeEffectTools, ProbeTools } from '../workflows/support/probe.tools.js';
import { createTestDatabase, SHARED_PREFIX } from './database.js';
import { driverSettings } from './drivers.js';
import { freePort } from './global-setup.js';

/** A Switchboard in this process, web and worker, with its own database. */
export interface Switchboard {
  readonly url: string;
  readonly app: NestExpressApplication;
  readonly env: Env;
  readonly access: DatabaseAccess;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** Runs SQL as the owner of the database, without row-level security: to read rows or to change their times. */
  ownerQuery<Row extends object = Record<string, unknown>>(
    sql: string,
    values?: unknown[],
  ): Promise<Row[]>;
  close(): Promise<void>;
}

/** A Switchboard that the code may use, but must not stop. */
export type RunningSwitchboard = Omit<Switchboard, 'close'>;

export interface StartOptions {
  env?: Record<string, string>;
  providers?: Provider[];
  modules?: Extensions['modules'];
  /** The address of an existing database, for a second process of one installation. `close` does not drop it. */
  databaseUrl?: string;
}

interface InternalOptions extends StartOptions {
  isShared?: boolean;
}

let shared: Promise<RunningSwitchboard> | undefined;

/**
 * Returns one Switchboard for all test files of a worker of Vitest, because starting one costs as much processor time
 * as many tests. It runs until the worker ends, has the tools of the tests besides its own, and may send requests to
 * `sharedSink`. A test file that uses it must look only at organizations that the file creates, and must sign nobody
 * in. The reason is that Passport has one strategy per process. This strategy checks passwords in the database of the
 * Switchboard that was started last.
 */
export function sharedSwitchboard(): Promise<RunningSwitchboard> {
  shared ??= startShared().catch((error: unknown) => {
    // The start has failed. The next test file tries again.
    shared = undefined;
    throw error;
  });
  return shared;
}

async function startShared(): Promise<RunningSwitchboard> {
  const env = { OUTBOUND_ALLOW: await allowSharedSink() };
  const providers = [ProbeTools, ProbeEffectTools, ProtocolTools];
  return await start({ isShared: true, env, providers }, []);
}

export async function startSwitchboard(options: StartOptions = {}): Promise<Switchboard> {
  const undo: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (const action of undo.splice(0).toReversed()) {
      await action().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  };
  try {
    return { ...(await start(options, undo)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts everything and adds to `undo` a function that stops it. */
async function start(
  options: InternalOptions,
  undo: (() => Promise<unknown>)[],
): Promise<RunningSwitchboard> {
  // The end of all tests removes shared folders and databases.
  const parent = options.isShared ? process.env.TEST_SHARED_FOLDER! : tmpdir();
  const dataDir = await mkdtemp(join(parent, 'switchboard-data-'));
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  const prefix = options.isShared ? SHARED_PREFIX : '';
  const database = options.databaseUrl ? undefined : await createTestDatabase(prefix);
  const databaseUrl = options.databaseUrl ?? database!.url;
  // Nest does not close the connection pools of an application that it could not create.
  let force = true;
  if (database) undo.push(() => database.drop({ force }));
  const env = loadEnv({
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    NODE_ENV: 'test',
    SIGN_UP: 'open',
    // All organizations of a test sign up from one address, so a limit for each address would refuse some sign-ups.
    SIGN_UP_PER_HOUR: '0',
    NEW_ORGANIZATION_MESSAGES: '100000',
    NEW_ORGANIZATION_CONTACTS: '100000000',
    NEW_ORGANIZATION_RUNS: '100000000',
    NEW_ORGANIZATION_STORED_MB: '1000000',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    ...driverSettings(),
    ...options.env,
  });
  const access =
    database?.access ??
    (await prepareDatabase(databaseUrl, { waitMs: 5000, log: () => undefined }));
  const app = await createHttpApplication(
    AppModule.forRoot({
      env,
      access,
      onDatabaseError: () => undefined,
      providers: options.providers,
      modules: options.modules,
    }),
    new PinoLogger(env),
  );
  force = false;
  undo.push(() => app.close());
  await app.listen(env.port, env.host);
  const ownerUrl = new URL(databaseUrl);
  ownerUrl.searchParams.set('host', access.host);
  const owner = new Client({ connectionString: ownerUrl.href });
  owner.on('error', () => undefined);
  await owner.connect();
  undo.push(() => owner.end().catch(() => undefined));
  // Tests that run at the same time share the connection. The driver deprecates a query that begins before the end of
  // another query.
  let previous: Promise<unknown> = Promise.resolve();
  return {
    url: `http://${env.host}:${env.port}`,
    app,
    env,
    access,
    databaseUrl,
    dataDir,
    ownerQuery: async <Row extends object>(sql: string, values?: unknown[]) => {
      const result = previous.then(() => owner.query<Row>(sql, values));
      previous = result.catch(() => undefined);
      return (await result).rows;
    },
  };
}

import 'reflect-metadata';
import type { Provider } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { AppModule, type Extensions } from '../../src/bootstrap/app.module.js';
import { createHttpApplication } from '../../src/bootstrap/create-http-application.js';
import { type Env, loadEnv } from '../../src/config/env.js';
import type { DatabaseAccess } from '../../src/database/setup/database-access.js';
import { prepareDatabase } from '../../src/database/setup/prepare-database.js';
import { PinoLogger } from '../../src/operations/pino-logger.js';
import { createTestDatabase } from './database.js';
import { freePort } from './global-setup.js';

/** A whole Switchboard, web and worker, on a database of its own. */
export interface Switchboard {
  readonly url: string;
  readonly app: NestExpressApplication;
  readonly env: Env;
  readonly access: DatabaseAccess;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** Runs SQL as the owner of the database, past row-level security: to look, or to set the clock of a row. */
  ownerQuery<Row extends object = Record<string, unknown>>(
    sql: string,
    values?: unknown[],
  ): Promise<Row[]>;
  close(): Promise<void>;
}

export interface StartOptions {
  env?: Record<string, string>;
  providers?: Provider[];
  modules?: Extensions['modules'];
  /** An existing database, of another process of the same installation; it is not dropped at the end. */
  databaseUrl?: string;
}

export async function startSwitchboard(options: StartOptions = {}): Promise<Switchboard> {
  const database = options.databaseUrl
    ? { url: options.databaseUrl, drop: async () => undefined }
    : await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-data-'));
  const env = loadEnv({
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    NODE_ENV: 'test',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    ...(process.env.SWITCHBOARD_TEST_DRIVER === 'bull' && {
      REDIS_URL: process.env.TEST_REDIS_URL,
    }),
    ...options.env,
  });
  const access = await prepareDatabase(database.url, { waitMs: 5000, log: () => undefined });
  const app = await createHttpApplication(
    AppModule.forRoot({
      env,
      access,
      onDatabaseError: () => undefined,
      providers: options.providers,
      modules: options.modules,
    }),
    new PinoLogger(env.logLevel),
  );
  await app.listen(env.port, env.host);
  const owner = new Client({ connectionString: database.url });
  owner.on('error', () => undefined);
  await owner.connect();
  return {
    url: `http://${env.host}:${env.port}`,
    app,
    env,
    access,
    databaseUrl: database.url,
    dataDir,
    ownerQuery: async <Row extends object>(sql: string, values?: unknown[]) =>
      (await owner.query<Row>(sql, values)).rows,
    close: async () => {
      await app.close();
      await owner.end().catch(() => undefined);
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule, type AppOptions } from './app.module.js';
import { type Env, EnvError, loadEnv } from './config/env.js';
import { EmbeddedPostgres, EmbeddedPostgresError } from './database/embedded/embedded-postgres.js';
import { prepareDatabase } from './database/prepare-database.js';
import { welcome } from './demo/welcome.js';
import { AppError, toError } from './errors/app-error.js';
import { configureHttp } from './http.js';
import { PinoLogger } from './operations/pino-logger.js';
import { onStopSignal } from './operations/stop-signal.js';

// How long a database that DATABASE_URL names may take to come up: it often starts together with the service.
const DATABASE_WAIT_MS = 30_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const env = loadEnv(process.env);
  const embedding = env.databaseUrl
    ? undefined
    : EmbeddedPostgres.start({ dataDir: env.dataDir, log: say });
  let app: NestExpressApplication | undefined;
  const stop = async (): Promise<void> => {
    await app?.close();
    await (await embedding?.catch(() => undefined))?.stop();
  };
  onStopSignal(say, stop);
  try {
    app = await start(env, env.databaseUrl ?? (await embedding!).url);
    if (env.runsWeb) await welcome(app, env, say);
    else say('Switchboard worker is running.');
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

async function start(env: Env, ownerUrl: string): Promise<NestExpressApplication> {
  const access = await prepareDatabase(ownerUrl, { waitMs: DATABASE_WAIT_MS, log: say });
  const logger = new PinoLogger(env.logLevel);
  const options: AppOptions = {
    env,
    access,
    onDatabaseError: (error) =>
      logger.warn(`A database connection broke: ${error.message}`, 'Database'),
  };
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(options), {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
  if (env.runsWeb) {
    configureHttp(app);
    await app.listen(env.port, env.host);
  } else {
    await app.init();
  }
  return app;
}

/** What a person who started the process needs to know; a stack only for what nobody expected. */
function explain(thrown: unknown): string {
  const error = toError(thrown);
  if (
    error instanceof EnvError ||
    error instanceof EmbeddedPostgresError ||
    error instanceof AppError
  ) {
    return error.message;
  }
  const { code, port, address } = error as { code?: string; port?: number; address?: string };
  if (code === 'EADDRINUSE') {
    return `Port ${port} is already in use on ${address}. Stop what listens there, or choose another: PORT=3001 npm start`;
  }
  if (code === 'EACCES' && port !== undefined) {
    return `Port ${port} may not be opened by this user. Choose one above 1023 with PORT.`;
  }
  if (code === 'EADDRNOTAVAIL') return `HOST: ${address} is not an address of this machine.`;
  return error.stack ?? error.message;
}

main().catch((error: unknown) => {
  process.stderr.write(`\nSwitchboard could not start.\n${explain(error)}\n`);
  process.exit(1);
});

import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { loadProcessEnv } from './load-process-env.js';
import { EnvError } from '../config/load-env.js';
import { EmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { EmbeddedPostgresError } from '../database/embedded/embedded-postgres-error.js';
import { AppError, toError } from '../errors/app-error.js';
import type { Extensions } from './app.module.js';
import { assertAddress } from './assert-address.js';
import { tuneV8Soon } from '../operations/tune-v8.js';
import { onStopSignal } from '../operations/shutdown.js';

// The time for a stop after the database is gone. Work in progress can no longer be stored, so only responses that are
// being sent need this time.
const STOP_WITHOUT_DATABASE_MS = 5_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Starts Switchboard in this process, together with the modules of a team. It reads the environment, starts PostgreSQL
 * unless DATABASE_URL is set, runs the migrations, listens, and stops at SIGTERM and Ctrl-C. When the start fails, it
 * prints the reason and ends the process with code 1.
 */
export async function startSwitchboard(extensions: Extensions = {}): Promise<INestApplication> {
  return await startOrExit(extensions, 'off');
}

/** Starts Switchboard in a process that does nothing else. So V8 is tuned unless `TUNE_V8` is `off`. */
export async function startOwnProcess(): Promise<void> {
  await startOrExit({}, 'on');
}

async function startOrExit(
  extensions: Extensions,
  defaultTuning: 'on' | 'off',
): Promise<INestApplication> {
  let embedding: Promise<EmbeddedPostgres> | undefined;
  let app: INestApplication | undefined;
  const stop = async (): Promise<void> => {
    await app?.close();
    await (await embedding?.catch(() => undefined))?.stop();
  };
  try {
    const env = loadProcessEnv();
    if (env.runsWeb) await assertAddress(env.port, env.host);
    onStopSignal(say, stop);
    if (!env.databaseUrl) {
      await new Promise<void>((spawned) => {
        embedding = EmbeddedPostgres.start({
          dataDir: env.dataDir,
          log: say,
          onLost: () => void endWithoutDatabase(stop),
          onSpawn: spawned,
        });
        // `onSpawn` is not called when PostgreSQL runs already, so `spawned` is called here. A failure is ignored here,
        // because it is reported below.
        void embedding.catch(() => undefined).finally(spawned);
      });
    }
    // Loading the application blocks this thread for half a second or more. So the programs of PostgreSQL are started
    // first, and run during this time.
    const [{ startApplication }, { welcome }, postgres] = await Promise.all([
      import('./application.js'),
      import('../demo/welcome.js'),
      embedding,
    ]);
    const ownerUrl = env.databaseUrl ?? postgres!.url;
    app = await startApplication({ env, ownerUrl, log: say, extensions });
    if (env.runsWeb) await welcome(app, env, say);
    else say('Switchboard worker is running.');
    if ((env.tuneV8 ?? defaultTuning) === 'on') tuneV8Soon();
    return app;
  } catch (error) {
    await stop().catch(() => undefined);
    process.stderr.write(`\nSwitchboard could not start.\n${explain(error)}\n`);
    process.exit(1);
  }
}

/**
 * Ends the process with code 1 after the database is gone. The process could not connect again, and nothing works
 * without the database.
 */
async function endWithoutDatabase(stop: () => Promise<void>): Promise<void> {
  process.stderr.write(
    'Switchboard ends, because its database is gone. Start Switchboard again.\n',
  );
  setTimeout(() => process.exit(1), STOP_WITHOUT_DATABASE_MS);
  await stop().catch(() => undefined);
  process.exit(1);
}

/** Explains an error to the person who started the process. The text has a stack only for an unexpected error. */
function explain(thrown: unknown): string {
  const error = toError(thrown);
  if (
    error instanceof EnvError ||
    error instanceof EmbeddedPostgresError ||
    error instanceof AppError
  ) {
    return error.message;
  }
  const { code, port, address, hostname } = error as NodeJS.ErrnoException &
    Partial<Record<'port' | 'address' | 'hostname', string | number>>;
  if (code === 'EADDRINUSE') {
    return `Port ${port} is already in use on ${address}. Stop the other program, or choose another port: PORT=3001 npm start`;
  }
  if (code === 'EACCES' && port !== undefined) {
    return `Port ${port} may not be opened by this user. Set PORT to a number above 1023.`;
  }
  if (code === 'EADDRNOTAVAIL') {
    return `HOST: ${address} is not an address of this machine. Choose another address.`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `HOST: the name ${hostname} is unknown. Choose an address of this machine, such as 127.0.0.1 or 0.0.0.0.`;
  }
  return error.stack ?? error.message;
}

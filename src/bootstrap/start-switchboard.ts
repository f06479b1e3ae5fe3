import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { startApplication } from './application.js';
import { EnvError, loadEnv } from '../config/env.js';
import { EmbeddedPostgres, EmbeddedPostgresError } from '../database/embedded/embedded-postgres.js';
import { welcome } from '../demo/welcome.js';
import { AppError, toError } from '../errors/app-error.js';
import type { Extensions } from './app.module.js';
import { settleSoon } from '../operations/settle.js';
import { onStopSignal } from '../operations/shutdown.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Makes this process a Switchboard with the modules of a team in it: reads the environment, starts PostgreSQL unless
 * one is given, migrates, listens, and stops at SIGTERM and Ctrl-C. When it cannot start it says why, and ends the
 * process with code 1.
 */
export async function startSwitchboard(extensions: Extensions = {}): Promise<INestApplication> {
  try {
    return await start(extensions);
  } catch (error) {
    process.stderr.write(`\nSwitchboard could not start.\n${explain(error)}\n`);
    process.exit(1);
  }
}

async function start(extensions: Extensions): Promise<INestApplication> {
  const env = loadEnv();
  const embedding = env.databaseUrl
    ? undefined
    : EmbeddedPostgres.start({ dataDir: env.dataDir, log: say });
  let app: INestApplication | undefined;
  const stop = async (): Promise<void> => {
    await app?.close();
    await (await embedding?.catch(() => undefined))?.stop();
  };
  onStopSignal(say, stop);
  try {
    const ownerUrl = env.databaseUrl ?? (await embedding!).url;
    app = await startApplication({ env, ownerUrl, log: say, extensions });
    if (env.runsWeb) await welcome(app, env, say);
    else say('Switchboard worker is running.');
    settleSoon();
    return app;
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
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

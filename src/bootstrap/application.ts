import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Env } from '../config/env.js';
import { prepareDatabase } from '../database/setup/prepare-database.js';
import type { Failpoints } from '../failpoints/failpoints.js';
import { PinoLogger } from '../operations/pino-logger.js';
import { AppModule, type Extensions } from './app.module.js';
import { createHttpApplication } from './create-http-application.js';
import { ENTITIES } from './entities.js';
import { assertOneCopy } from './one-copy.js';

// The time for which the start waits for the database of DATABASE_URL. That database often starts at the same moment as
// this process.
const DATABASE_WAIT_MS = 30_000;

export interface ApplicationOptions {
  env: Env;
  /** The URL of the database. Its user is the owner of the database. */
  ownerUrl: string;
  log: (line: string) => void;
  extensions: Extensions;
  failpoints?: Failpoints;
}

/**
 * Prepares the database and starts the HTTP server and the workers of this process. Resolves when the server
 * accepts requests.
 */
export async function startApplication({
  env,
  ownerUrl,
  log,
  extensions: { modules = [], entities = [], migrations = [] },
  failpoints,
}: ApplicationOptions): Promise<NestExpressApplication> {
  if (modules.length > 0) assertOneCopy();
  const isExtended = entities.length > 0 || migrations.length > 0;
  const access = await prepareDatabase(ownerUrl, {
    waitMs: DATABASE_WAIT_MS,
    log,
    ...(isExtended && { extensions: { entities: [...ENTITIES, ...entities], migrations } }),
  });
  const logger = new PinoLogger(env);
  const module = AppModule.forRoot({
    env,
    access,
    modules,
    entities,
    failpoints,
    onDatabaseError: (error) =>
      logger.warn(`A database connection broke: ${error.message}`, 'Database'),
  });
  const app = await createHttpApplication(module, logger);
  try {
    if (env.runsWeb) await app.listen(env.port, env.host);
    else await app.init();
  } catch (error) {
    // The start has failed, for example because the port is in use. The caller may continue, so close all connections.
    await app.close().catch(() => undefined);
    throw error;
  }
  return app;
}

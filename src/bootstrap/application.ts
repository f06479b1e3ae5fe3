import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Env } from '../config/env.js';
import { prepareDatabase } from '../database/setup/prepare-database.js';
import type { Failpoints } from '../failpoints/failpoints.js';
import { PinoLogger } from '../operations/pino-logger.js';
import { AppModule, type Extensions } from './app.module.js';
import { createHttpApplication } from './create-http-application.js';
import { ENTITIES } from './entities.js';
import { assertOneCopy } from './one-copy.js';

// How long a database that DATABASE_URL names may take to come up: it often starts together with the service.
const DATABASE_WAIT_MS = 30_000;

export interface ApplicationOptions {
  env: Env;
  /** Connection as the owner of the database. */
  ownerUrl: string;
  log: (line: string) => void;
  extensions: Extensions;
  /** Those of a test; absent: everything passes. */
  failpoints?: Failpoints;
}

/** Prepares the database and starts what the role of this process runs; HTTP is served when it returns. */
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
  const logger = new PinoLogger(env.logLevel);
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
    // A port that is taken, say: whoever goes on in this process must not keep our connections.
    await app.close().catch(() => undefined);
    throw error;
  }
  return app;
}

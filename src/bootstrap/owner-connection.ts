import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Env } from '../config/env.js';
import { EmbeddedPostgres } from '../database/embedded/embedded-postgres.js';

/**
 * Runs `work` as the owner of the configured database, who sees all organizations. Starts the embedded PostgreSQL when it
 * does not run, and stops it again. Returns false, and does nothing, when there is no database yet.
 */
export async function withOwner(
  env: Env,
  work: (client: Client) => Promise<void>,
): Promise<boolean> {
  if (!env.databaseUrl && !existsSync(join(env.dataDir, 'pg', 'PG_VERSION'))) return false;
  const embedded = env.databaseUrl
    ? undefined
    : await EmbeddedPostgres.start({ dataDir: env.dataDir });
  const client = new Client({ connectionString: env.databaseUrl ?? embedded!.url });
  // Without a listener, a lost connection would end the process without a message.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
    return true;
  } finally {
    await client.end().catch(() => undefined);
    await embedded?.stop();
  }
}

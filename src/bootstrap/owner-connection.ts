import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Env } from '../config/env.js';
import { EmbeddedPostgres } from '../database/embedded/embedded-postgres.js';

/**
 * Runs `work` as the owner of the configured database, who sees all organizations. When the embedded PostgreSQL is not
 * running, this function starts it and stops it again. When there is no database yet, does nothing and returns false.
 */
export async function withOwner(
  env: Env,
  work: (client: Client) => Promise<void>,
): Promise<boolean> {
  if (!env.databaseUrl && !existsSync(join(env.dataDir, 'pg', 'PG_VERSION'))) return false;
  await withOwnerUrl(env, async (url) => {
    const client = new Client({ connectionString: url });
    // Without a listener, a lost connection would end the process without a message.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await work(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  });
  return true;
}

/**
 * Runs `work` with the URL of the configured database. The user in the URL owns the database. When the embedded
 * PostgreSQL is not running, this function starts it, creates the database when it is missing, and stops PostgreSQL
 * again.
 */
export async function withOwnerUrl(env: Env, work: (url: string) => Promise<void>): Promise<void> {
  if (env.databaseUrl) {
    await work(env.databaseUrl);
    return;
  }
  const embedded = await EmbeddedPostgres.start({ dataDir: env.dataDir });
  try {
    await work(embedded.url);
  } finally {
    await embedded.stop();
  }
}

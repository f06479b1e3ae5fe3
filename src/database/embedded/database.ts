import { Client } from 'pg';

import { ROLE } from './cluster.js';
import { diskFull, EmbeddedPostgresError, errorCode } from './embedded-postgres-error.js';

/** The address of a database on a private server. */
export function urlOf(port: number, password: string, database: string): string {
  return `postgres://${ROLE}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

/** Makes the application's database unless it exists; throws where the server does not answer. */
export async function ensureDatabase(port: number, password: string): Promise<void> {
  const client = new Client({
    connectionString: urlOf(port, password, 'postgres'),
    connectionTimeoutMillis: 3_000,
  });
  // A server that ends while we are connected reports it as an event, which would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const found = await client.query('select from pg_database where datname = $1', [ROLE]);
    if (found.rowCount === 0) await client.query(`create database ${ROLE}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Turns a failure of `ensureDatabase` into one that a person can act on. */
export function databaseFailure(dataDir: string, passwordFile: string, error: unknown): Error {
  switch (errorCode(error)) {
    case '28P01':
      return new EmbeddedPostgresError(
        `The database in ${dataDir} does not accept the password in ${passwordFile}. ` +
          'Put back the file that belongs to this database, or set DATA_DIR to another directory.',
        { cause: error },
      );
    case '53100':
      return diskFull(dataDir, error);
    default:
      return new EmbeddedPostgresError(
        `The database in ${dataDir} runs but does not answer: ` +
          (error instanceof Error ? error.message : String(error)),
        { cause: error },
      );
  }
}

/** Whether a server that lives but failed to answer may answer in a moment. */
export function isPassing(error: unknown): boolean {
  const code = errorCode(error);
  // 57P01 and 57P03: starting up or shutting down. No code: the connection broke off or timed out.
  return code === undefined || code === '57P01' || code === '57P03' || code.startsWith('ECONN');
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { AppError } from '../../errors/app-error.js';
import { isConnectionError, isQueryTimeout } from '../database-error.js';

const ANSWER_MS = 5000;
const WAIT_MS = 1000;
const MOST_WAITS = 5;
const COMPARISONS = 10;
const MOST_CONNECTIONS = 5;
const PROCESS_ID = 'select pg_backend_pid() as id';
// The server ends the idle session 250 ms after its answer. A pooler that reads the answer later also reads the end of
// the session, and forwards both.
const END_SOON = `select pg_backend_pid() as id, set_config('idle_session_timeout', '250', false)`;

/** Returns true when a pooler such as PgBouncer is between this process and PostgreSQL. */
export async function hasPooler(client: Client): Promise<boolean> {
  return (await askProcessId(client)) !== (client as Client & { processID: number }).processID;
}

/**
 * Throws unless the pooler assigns a connection of the server to one client until the client disconnects, as PgBouncer
 * does with `pool_mode = session`. Other clients may use the pooler at the same time. Takes about 0.4 s.
 */
export async function assertSessionMode(config: ClientConfig): Promise<void> {
  for (let count = 1; count <= MOST_CONNECTIONS; count += 1) {
    const mode = await findMode(config);
    if (mode === 'session') return;
    if (mode === 'shared') break;
  }
  throw new AppError(
    'unavailable',
    `DATABASE_URL: the pooler ${config.host}:${config.port} gives the transactions of its user ${config.user} to ` +
      'different connections of the server, and Switchboard needs the same one until it disconnects. Set pool_mode = ' +
      'session in pgbouncer.ini, or name the PostgreSQL server itself in DATABASE_URL.',
  );
}

/**
 * Lets the server end the session of an idle connection. If the connection has a session of its own, the connection
 * ends too. If the pooler took the session back after the transaction, the connection stays open.
 */
async function findMode(config: ClientConfig): Promise<'session' | 'shared' | 'unclear'> {
  const client = new Client({
    ...config,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  const ended = new Promise<true>((resolve) => client.once('end', () => resolve(true)));
  client.on('error', () => undefined);
  try {
    await client.connect();
    const processId = await askProcessId(client);
    for (let count = 1; count <= COMPARISONS; count += 1) {
      if ((await askProcessId(client)) !== processId) return 'shared';
    }
    if ((await askProcessId(client, END_SOON)) !== processId) return 'shared';
    for (let count = 1; count <= MOST_WAITS; count += 1) {
      // The end of the connection proves session mode only while no statement runs. Otherwise, a statement that
      // reached an ending session could have ended the connection.
      if (await Promise.race([ended, sleep(WAIT_MS, false, { ref: false })])) return 'session';
      if ((await askProcessId(client)) !== processId) return 'shared';
    }
    // In session mode, the connection would have ended with its session. So the pooler took the session back after the
    // transaction.
    return 'shared';
  } catch (error) {
    if (isQueryTimeout(error)) throw noSecondConnection(config, error);
    if (isConnectionError(error)) return 'unclear';
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function askProcessId(client: Client, statement = PROCESS_ID): Promise<number> {
  const { rows } = await client.query<{ id: number }>(statement);
  return rows[0]!.id;
}

function noSecondConnection({ host, port, user }: ClientConfig, cause: unknown): AppError {
  return new AppError(
    'unavailable',
    `DATABASE_URL: the pooler ${host}:${port} gave its user ${user} no second connection of the server within ` +
      `${ANSWER_MS / 1000} s. Raise default_pool_size in pgbouncer.ini.`,
    { cause },
  );
}

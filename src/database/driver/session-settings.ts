import type { ClientBase, QueryConfig } from 'pg';
import { isQueryTimeout } from '../database-error.js';
import { limitAnswers } from './answer-limit.js';
import { forgetPreparedStatements } from './pipeline.js';

/** The settings of a session by their names in PostgreSQL, which pg uses too. Times are in milliseconds. */
export interface SessionSettings {
  application_name: string;
  statement_timeout: number;
  lock_timeout: number;
  idle_in_transaction_session_timeout: number;
}

/** The options of a pool. A pool of pg hands a new connection out when the promise of `onConnect` resolves. */
export interface SessionOptions extends Partial<SessionSettings> {
  /** Settings that pg does not know, in the form of the command line of PostgreSQL. */
  options?: string;
  onConnect: (client: ClientBase) => Promise<void>;
}

interface PooledSession {
  readonly processId: number;
  readonly settings: SessionSettings;
}

const ANSWER_MS = 5000;
/**
 * Turns off the compilation of statements (JIT). Before PostgreSQL 18, `enable_seqscan = off` made the estimated cost
 * of `find_due_work` so high that PostgreSQL compiled each call. This took about 100 ms of processor time a second.
 */
const WITHOUT_JIT = '-c jit=off';
/** The SQLSTATE `too_many_connections`. Callers get `unavailable` and may try again. */
const TOO_MANY_CONNECTIONS = '53300';
const SET_UP = `select pg_backend_pid() as "processId", set_config('client_encoding', 'UTF8', false),
  set_config('application_name', $1, false), set_config('statement_timeout', $2, false),
  set_config('lock_timeout', $3, false), set_config('idle_in_transaction_session_timeout', $4, false),
  set_config('jit', 'off', false)`;

const pooledSessions = new WeakMap<ClientBase, PooledSession>();

/**
 * Returns options of a pool whose sessions have these settings, even after {@link resetSession}. PostgreSQL accepts
 * settings when a connection is opened. A pooler refuses or ignores such settings, so behind a pooler they are set with
 * SQL. The answers to statements of the pool are limited; see {@link limitAnswers}.
 */
export function sessionOptions(settings: SessionSettings, hasPooler: boolean): SessionOptions {
  const { application_name } = settings;
  return {
    ...(hasPooler ? { application_name } : { ...settings, options: WITHOUT_JIT }),
    onConnect: async (client) => {
      limitAnswers(client);
      if (hasPooler) await startPooledSession(client, settings);
    },
  };
}

/**
 * Resets the session of a connection: discards prepared statements, and everything else that statements created or
 * changed in the session.
 */
export async function resetSession(client: ClientBase): Promise<void> {
  await client.query('discard all');
  forgetPreparedStatements(client);
  const session = pooledSessions.get(client);
  if (session) await setUp(client, session.settings);
}

/**
 * Returns the id of the process of PostgreSQL that serves a connection. Behind a pooler, the id that pg knows comes
 * from the pooler and not from PostgreSQL.
 */
export function serverProcessId(client: ClientBase): number {
  const session = pooledSessions.get(client);
  return session?.processId ?? (client as ClientBase & { processID: number }).processID;
}

/**
 * Resets the session that the pooler assigns at the first statement, and then applies `settings` to it. Usually the
 * pooler resets a session after each client. If it is configured not to reset sessions, a tool may have changed the
 * session.
 */
async function startPooledSession(client: ClientBase, settings: SessionSettings): Promise<void> {
  await ask(client, 'discard all').catch((error: unknown) => {
    throw isQueryTimeout(error) ? noServerConnection(error) : error;
  });
  pooledSessions.set(client, { processId: await setUp(client, settings), settings });
}

async function setUp(client: ClientBase, settings: SessionSettings): Promise<number> {
  const { rows } = await ask<{ processId: number }>(client, SET_UP, [
    settings.application_name,
    String(settings.statement_timeout),
    String(settings.lock_timeout),
    String(settings.idle_in_transaction_session_timeout),
  ]);
  return rows[0]!.processId;
}

/**
 * Sends a statement and waits 5 s for the answer. Without a limit, calls would wait as long as the pooler has no free
 * connection.
 */
function ask<Row extends object>(client: ClientBase, text: string, values: string[] = []) {
  const config: QueryConfig & { query_timeout: number } = {
    text,
    values,
    query_timeout: ANSWER_MS,
  };
  return client.query<Row>(config);
}

function noServerConnection(cause: unknown): Error {
  const seconds = ANSWER_MS / 1000;
  const message = `The pooler gave no connection of the server within ${seconds} s. Raise its default_pool_size.`;
  return Object.assign(new Error(message, { cause }), { code: TOO_MANY_CONNECTIONS });
}

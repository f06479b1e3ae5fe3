import { type Client, Pool, type PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../migrations/index.js';
import {
  resetSession,
  serverProcessId,
  sessionOptions,
} from '../../src/database/driver/session-settings.js';
import { type ChangeOrGap, ChangeFeed } from '../../src/changes/change-feed.js';
import { ChangeRecorder } from '../changes/change-recorder.js';
import { findPgBouncer } from '../support/find-program.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { PgBouncer } from '../support/pgbouncer.js';
import { postJson } from '../support/post-json.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, postWebhook, runUntil } from '../workflows/support/workflow-client.js';
import { createOwnedDatabase, type OwnedDatabase } from './owned-database.js';
import { runSql, SqlTools } from './sql-tools.js';

const LIMITS = {
  statement_timeout: 100,
  lock_timeout: 200,
  idle_in_transaction_session_timeout: 300,
};
const SHOW_SETTINGS = `select current_setting('statement_timeout') as statement,
  current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle,
  current_setting('application_name') as name, current_setting('search_path') as path,
  current_setting('client_encoding') as encoding, current_setting('jit') as jit, pg_backend_pid() as process`;

describe.skipIf(!findPgBouncer())('behind PgBouncer in session mode,', () => {
  let database: OwnedDatabase;
  let admin: Client;
  let bouncer: PgBouncer;
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    database = await createOwnedDatabase('session');
    ({ admin } = database);
    bouncer = await PgBouncer.start(database.bouncerOptions);
    // This first start runs all migrations through PgBouncer.
    switchboard = await startSwitchboard({
      databaseUrl: bouncer.urlOf(database.url),
      env: { DATABASE_POOL_SIZE: '2' },
      providers: [SqlTools],
    });
    acme = await createOrganization(switchboard, 'Acme');
  });
  afterAll(async () => {
    await switchboard?.close();
    await bouncer?.stop();
    await database?.drop();
  });

  /** Opens a pool of sessions of the tenant role with short limits. */
  const poolOf = (url: string, max = 1): Pool => {
    const { tenant } = switchboard.access;
    const { hostname, port, pathname } = new URL(url);
    const settings = { application_name: 'test', ...LIMITS };
    return new Pool({
      ...tenant,
      host: hostname,
      port: Number(port),
      database: pathname.slice(1),
      max,
      ...sessionOptions(settings, true),
    });
  };

  const withClient = async (pool: Pool, work: (client: PoolClient) => Promise<void>) => {
    const client = await pool.connect();
    try {
      await work(client);
    } finally {
      client.release();
    }
  };

  it('a first start creates everything, with the documented configuration', async () => {
    expect(switchboard.access.hasPooler).toBe(true);
    const { rows } = await admin.query('select from migrations');
    expect(rows).toHaveLength(MIGRATIONS.length);
  });

  it('people sign in, agents call tools, and webhooks start runs', async () => {
    const { email, password } = acme;
    const signedIn = await postJson(`${switchboard.url}/api/auth/sign-in`, { email, password });
    expect(signedIn.status).toBe(200);
    const params = { name: 'create_contact', arguments: { email: 'ada@example.com' } };
    const answer = await acme.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect(await answer.text()).toContain('ada@example.com');
    const { id } = await createWorkflow(acme, [
      { id: 'find', tool: 'search_contacts', arguments: { query: 'ada@example.com' } },
    ]);
    const { body } = await postWebhook(switchboard, id, {});
    const run = await runUntil(acme, body.runId, 'succeeded', 'failed');
    expect(run).toMatchObject({ status: 'succeeded' });
  });

  it('changes reach their subscribers, also after PgBouncer was restarted', async () => {
    const recorder = await ChangeRecorder.start(switchboard, acme.id);
    const uri = (name: string): ChangeOrGap => ({ kind: 'resource', uri: `test://${name}` });
    const publish = (name: string) =>
      switchboard.app.get(ChangeFeed).publish(acme.id, { kind: 'resource', uri: `test://${name}` });
    publish('before');
    await recorder.waitFor(uri('before'));
    await bouncer.restart();
    await recorder.waitFor({ kind: 'gap' });
    await waitFor(async () => (await acme.call('search_contacts', {})).status === 200);
    publish('after');
    await recorder.waitFor(uri('after'));
    recorder.close();
  });

  it('calls continue when the server ends all sessions', async () => {
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    // A statement that was sent fails with 503 when its connection breaks. Later statements get new connections.
    await waitFor(async () => (await acme.call('search_contacts', {})).status === 200);
    for (let count = 0; count < 5; count += 1) {
      const { status } = await acme.call('create_contact', { email: `ended${count}@example.com` });
      expect(status).toBe(200);
    }
  });

  it('sessions have the same limits and name as without PgBouncer', async () => {
    expect(await runSql(acme, SHOW_SETTINGS)).toMatchObject([
      {
        rows: [
          {
            statement: '10s',
            lock: '5s',
            idle: '30s',
            name: 'switchboard',
            encoding: 'UTF8',
            jit: 'off',
          },
        ],
      },
    ]);
  });

  it.each([
    [
      `select set_config('statement_timeout', '0', false), set_config('search_path', 'pg_catalog', false)`,
    ],
    [`select set_config('client_encoding', 'LATIN1', false)`],
    [`select set_config('application_name', 'somebody else', false)`],
    ['deallocate all'],
    ['discard all'],
    ['prepare switchboard_context as select 1'],
    ['listen somewhere'],
    ['select pg_advisory_lock(1)'],
  ])('the next transaction is not affected by: %s', async (statement) => {
    await runSql(acme, statement);
    const other = await createOrganization(switchboard);
    expect((await other.call('create_contact', { email: 'next@example.com' })).status).toBe(200);
    const settings = {
      statement: '10s',
      name: 'switchboard',
      path: '"$user", public',
      encoding: 'UTF8',
      jit: 'off',
    };
    expect(await runSql(other, SHOW_SETTINGS)).toMatchObject([{ rows: [settings] }]);
    const { rows } = await admin.query(
      `select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = $1)`,
      [database.name],
    );
    expect(rows).toEqual([]);
  });

  it('a statement that takes longer than its limit is ended, also after a reset', async () => {
    const pool = poolOf(switchboard.databaseUrl);
    try {
      await withClient(pool, async (client) => {
        const sleep = () => client.query('select pg_sleep(600)');
        await expect(sleep()).rejects.toMatchObject({ code: '57014' });
        await client.query('set statement_timeout = 0');
        await resetSession(client);
        await expect(sleep()).rejects.toMatchObject({ code: '57014' });
      });
    } finally {
      await pool.end();
    }
  });

  it('a connection knows the id of its server process', async () => {
    const pool = poolOf(switchboard.databaseUrl);
    try {
      await withClient(pool, async (client) => {
        const { rows } = await client.query<{ id: number }>('select pg_backend_pid() as id');
        expect(serverProcessId(client)).toBe(rows[0]!.id);
        expect((client as PoolClient & { processID: number }).processID).not.toBe(rows[0]!.id);
      });
    } finally {
      await pool.end();
    }
  });

  it('a new connection finds no state of an earlier client, even if PgBouncer does not reset sessions', async () => {
    const { bouncerOptions: options } = database;
    const settings = { ...options.settings, server_reset_query: '', default_pool_size: '1' };
    const careless = await PgBouncer.start({ ...options, settings });
    const url = careless.urlOf(database.url);
    try {
      const processes: number[] = [];
      for (const isFirst of [true, false]) {
        const pool = poolOf(url);
        await withClient(pool, async (client) => {
          const { rows } = await client.query<{ process: number }>(SHOW_SETTINGS);
          expect(rows[0]).toMatchObject({
            statement: '100ms',
            lock: '200ms',
            idle: '300ms',
            name: 'test',
            path: '"$user", public',
          });
          processes.push(rows[0]!.process);
          // Fails for the second client if the session still has this prepared statement.
          await client.query({ name: 'same', text: 'select 1' });
          if (!isFirst) return;
          await client.query('set search_path = pg_catalog');
          await client.query('set statement_timeout = 0');
        });
        await pool.end();
      }
      expect(processes[0]).toBe(processes[1]);
    } finally {
      await careless.stop();
    }
  });

  it('a client gets an error immediately when PgBouncer has no connection left', async () => {
    const { bouncerOptions: options } = database;
    const settings = { ...options.settings, default_pool_size: '1' };
    const full = await PgBouncer.start({ ...options, settings });
    const pool = poolOf(full.urlOf(database.url), 2);
    try {
      await withClient(pool, async () => {
        await expect(pool.connect()).rejects.toMatchObject({
          code: '53300',
          message: expect.stringContaining('Raise its default_pool_size') as string,
        });
      });
    } finally {
      await pool.end();
      await full.stop();
    }
  });
});

import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { prepareDatabase } from '../../src/database/setup/prepare-database.js';
import type { DatabaseAccess } from '../../src/database/setup/database-access.js';
import { AppError } from '../../src/errors/app-error.js';
import { createTestDatabase } from '../support/database.js';
import { findPgBouncer } from '../support/find-program.js';
import { PgBouncer, type PgBouncerOptions } from '../support/pgbouncer.js';
import { createOwnedDatabase, type OwnedDatabase } from './owned-database.js';

const SHARING_MODES = ['transaction', 'statement'];

describe.skipIf(!findPgBouncer())('a start behind PgBouncer', () => {
  let database: OwnedDatabase;
  let bouncer: PgBouncer | undefined;

  beforeAll(async () => {
    database = await createOwnedDatabase('modes');
  });
  afterEach(async () => {
    await bouncer?.stop();
    bouncer = undefined;
  });
  afterAll(() => database?.drop());

  /** Starts PgBouncer with these settings, and returns the URL of the database behind it. */
  const bounce = async (
    settings: Record<string, string>,
    more: Partial<PgBouncerOptions> = {},
  ): Promise<string> => {
    const { bouncerOptions: options, url } = database;
    bouncer = await PgBouncer.start({
      ...options,
      ...more,
      settings: { ...options.settings, ...settings },
    });
    return bouncer.urlOf(url);
  };

  const start = (url: string): Promise<DatabaseAccess> =>
    prepareDatabase(url, { waitMs: 0, log: () => undefined });

  const failure = async (url: string): Promise<string> => {
    const error = await start(url).then(
      () => new Error('The start succeeded.'),
      (thrown: unknown) => thrown as Error,
    );
    expect(error).toBeInstanceOf(AppError);
    return error.message;
  };

  const countTables = async (): Promise<number> => {
    const { rows } = await database.admin.query(
      `select from pg_class where relnamespace = 'public'::regnamespace`,
    );
    return rows.length;
  };

  /**
   * Returns the error message with which a start refuses this user. By default, the user is the owner of the database.
   */
  const refusal = (url: string, user = new URL(url).username): string =>
    `DATABASE_URL: the pooler 127.0.0.1:${new URL(url).port} gives the transactions of its user ${user} to ` +
    'different connections of the server, and Switchboard needs the same one until it disconnects. Set pool_mode = ' +
    'session in pgbouncer.ini, or name the PostgreSQL server itself in DATABASE_URL.';

  it.each(SHARING_MODES)('is refused in %s mode, before the first migration', async (pool_mode) => {
    const url = await bounce({ pool_mode });
    expect(await failure(url)).toBe(refusal(url));
    expect(await countTables()).toBe(0);
  });

  it('is refused in transaction mode even if the pool has only one connection', async () => {
    const url = await bounce({ pool_mode: 'transaction', default_pool_size: '1' });
    expect(await failure(url)).toBe(refusal(url));
  });

  it('is refused in transaction mode with a reset after each transaction', async () => {
    const url = await bounce({ pool_mode: 'transaction', server_reset_query_always: '1' });
    expect(await failure(url)).toBe(refusal(url));
  });

  describe('together with other clients of the same user', () => {
    let isBusy = true;
    let clients: Promise<void>[] = [];

    /** Lets clients run transactions without a pause. Some clients disconnect after each transaction. */
    const work = async (url: string, staysConnected: boolean): Promise<void> => {
      while (isBusy) {
        const client = new Client({ connectionString: url });
        client.on('error', () => undefined);
        // A session that is ending can break a connection. Then this client opens another connection.
        const succeeds = (work: Promise<unknown>) =>
          work.then(
            () => true,
            () => false,
          );
        let isUsable = await succeeds(client.connect());
        while (isBusy && isUsable) {
          isUsable = await succeeds(client.query('begin; select pg_sleep(0.001); commit'));
          isUsable &&= staysConnected;
        }
        await client.end().catch(() => undefined);
      }
    };
    const occupy = (url: string): void => {
      isBusy = true;
      clients = [true, true, true, false].map((staysConnected) => work(url, staysConnected));
    };
    afterEach(async () => {
      isBusy = false;
      await Promise.all(clients);
      clients = [];
    });

    it.each(['0', '1'])(
      'is refused in transaction mode, with server_round_robin = %s',
      async (server_round_robin) => {
        const settings = { pool_mode: 'transaction', default_pool_size: '3', server_round_robin };
        const url = await bounce(settings);
        occupy(url);
        for (let count = 0; count < 3; count += 1) expect(await failure(url)).toBe(refusal(url));
        expect(await countTables()).toBe(0);
      },
    );

    it('succeeds in session mode', async () => {
      const url = await bounce({ pool_mode: 'session' });
      occupy(url);
      for (let count = 0; count < 3; count += 1) {
        expect(await start(url)).toMatchObject({ hasPooler: true });
      }
    });
  });

  it('is refused when only the tenant role has transaction mode', async () => {
    const { tenant, gate } = await start(database.url);
    const { username, password } = new URL(database.url);
    const url = await bounce(
      {},
      {
        users: Object.fromEntries([
          ...Object.entries(database.bouncerOptions.users),
          [username, password],
          ...[tenant, gate].map((role) => [role.user, role.password]),
        ]) as Record<string, string>,
        userLines: [`${tenant.user} = pool_mode=transaction`],
      },
    );
    expect(await failure(url)).toBe(refusal(url, tenant.user));
  });

  it('says which setting is missing when PgBouncer finds no password of the roles', async () => {
    await start(database.url);
    const { username, password } = new URL(database.url);
    const url = await bounce(
      { auth_user: '', auth_query: '' },
      { users: { [username]: password } },
    );
    expect(await failure(url)).toMatch(
      /^DATABASE_URL: for the role switchboard_tenant_\w+ of Switchboard, .* The pooler needs auth_query /,
    );
  });

  it('shows the error of PgBouncer about an unsupported parameter of DATABASE_URL', async () => {
    const url = await bounce({});
    expect(await failure(`${url}?statement_timeout=1000`)).toContain(
      'cannot be used: it answers "unsupported startup parameter: statement_timeout" (08P01).',
    );
  });

  it('names the setting to raise when there is no second connection', async () => {
    const url = await bounce({ default_pool_size: '1' });
    expect(await failure(url)).toMatch(/no second connection .* Raise default_pool_size /);
  });
});

describe('a start without a pooler', () => {
  it('detects no pooler', async () => {
    const { url, drop } = await createTestDatabase();
    try {
      const access = await prepareDatabase(url, { waitMs: 0, log: () => undefined });
      expect(access).toMatchObject({ hasPooler: false });
    } finally {
      await drop();
    }
  });
});

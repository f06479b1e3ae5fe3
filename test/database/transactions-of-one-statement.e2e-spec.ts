import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { IdempotencyKey } from '../../src/tools/idempotency/idempotency-key.entity.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';

const POOL = 10;
/**
 * The longest wait for open transactions. After 30 s, the server itself ends a session that is idle in a transaction.
 */
const STILL_OPEN_MS = 20_000;
const INSERT = `insert into idempotency_keys (organization_id, tool, key, fingerprint)
  values ($1, 'test', $2, 'x') returning key`;

let switchboard: Switchboard;
let tenants: TenantDatabase;
let acme: TestOrganization;
let other: TestOrganization;

beforeAll(async () => {
  switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
  tenants = switchboard.app.get(TenantDatabase, { strict: false });
  acme = await createOrganization(switchboard);
  other = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

describe('a read-only transaction', () => {
  it('sees only its organization, and leaves no transaction and no context on the connection', async () => {
    const ids = Array.from({ length: 4 * POOL }, (_, index) => (index % 2 ? acme.id : other.id));
    const seen = await Promise.all(ids.map((id) => reading(id, () => readOrganizations(id))));
    expect(seen).toEqual(ids.map((id) => [{ id, only: 'on' }]));
    expect(await leftovers()).toEqual(['']);
  });

  it('rejects writes, and its connection can be used after a failed statement', async () => {
    await expect(reading(acme.id, () => insert('read only'))).rejects.toThrow(
      'Remove readOnly: true from the tool',
    );
    const divide = reading(acme.id, () =>
      tenants.session(acme.id).query('select 1 / $1::integer', [0]),
    );
    await expect(divide).rejects.toMatchObject({ code: '22012' });
    expect(await leftovers()).toEqual(['']);
    expect(await tenants.transaction(acme.id, () => insert('once'))).toEqual([{ key: 'once' }]);
  });

  it('sends each statement as a separate transaction that sees earlier commits', async () => {
    await reading(acme.id, async () => {
      expect(await find('meanwhile committed')).toEqual([]);
      await switchboard.ownerQuery(INSERT, [acme.id, 'meanwhile committed']);
      expect(await find('meanwhile committed')).toHaveLength(1);
      await tenants.session(acme.id).repository(IdempotencyKey).findBy({ organizationId: acme.id });
    });
    expect(await leftovers()).toEqual(['']);
  });

  it('sends concurrent statements on separate connections', async () => {
    const pids = await reading(acme.id, () => Promise.all([readPid(0.05), readPid(0.05)]));
    expect(new Set(pids).size).toBe(2);
  });

  it('refuses SQL that would begin a transaction, and leaves nothing on the connection', async () => {
    const begin = (): Promise<unknown> => tenants.session(acme.id).query('begin');
    await expect(reading(acme.id, begin)).rejects.toThrow('SQL cannot begin or end');
    expect(await leftovers()).toEqual(['']);
  });

  it('joins a read-write transaction and a dry run', async () => {
    const work = async (): Promise<never> => {
      await insert('undone');
      expect(await reading(acme.id, () => find('undone'))).toHaveLength(1);
      throw new Error('undo');
    };
    await expect(tenants.transaction(acme.id, work)).rejects.toThrow('undo');
    await tenants.dryRun(acme.id, async () => {
      await tenants.transaction(acme.id, () => insert('undone'));
      expect(await reading(acme.id, () => find('undone'))).toHaveLength(1);
    });
    expect(await reading(acme.id, () => find('undone'))).toEqual([]);
  });

  it('has a session for its organization only, until the transaction ends', async () => {
    const read = async (): Promise<object[]> => await readOrganizations(acme.id);
    await expect(read()).rejects.toThrow('Use session() and repository()');
    await expect(reading(other.id, read)).rejects.toThrow('pass call.organizationId');
    const late = await reading(acme.id, async () => AsyncLocalStorage.bind(read));
    await expect(late()).rejects.toThrow('has ended');
  });

  itSlow('uses another connection when the server has ended the next one of the pool', async () => {
    for (let round = 0; round < 5; round += 1) {
      const before = await reading(acme.id, () => readPid());
      await switchboard.ownerQuery('select pg_terminate_backend($1, 5000)', [before]);
      expect(await reading(acme.id, () => readPid())).not.toBe(before);
    }
  });
});

describe('a transaction of a single statement that writes', () => {
  const write = (key: string): Promise<{ key: string }[]> => single(acme.id, () => insert(key));
  const stored = (key: string): Promise<object[]> =>
    switchboard.ownerQuery('select key from idempotency_keys where key = $1', [key]);

  it('is committed when its statement returns, and leaves no transaction and no context on the connection', async () => {
    await single(acme.id, async () => {
      expect(await insert('alone')).toEqual([{ key: 'alone' }]);
      expect(await stored('alone')).toHaveLength(1);
    });
    expect(await leftovers()).toEqual(['']);
  });

  it('rejects a second statement', async () => {
    const two = single(acme.id, async () => {
      await insert('first');
      await insert('second');
    });
    await expect(two).rejects.toThrow('one statement only');
    expect(await stored('second')).toEqual([]);
  });

  it('changes only rows of its organization', async () => {
    const foreign = single(other.id, () =>
      tenants.session(other.id).query(INSERT, [acme.id, 'foreign']),
    );
    await expect(foreign).rejects.toMatchObject({ code: '42501' });
    expect(await stored('foreign')).toEqual([]);
    expect(await leftovers()).toEqual(['']);
  });

  it('stores nothing when its commit fails', async () => {
    await switchboard.ownerQuery(
      `create function refuse_key() returns trigger language plpgsql
       as $$ begin raise exception 'No commit.' using errcode = 'P0001'; end $$`,
    );
    await switchboard.ownerQuery(
      `create constraint trigger refuse_key after insert on idempotency_keys
       deferrable initially deferred for each row execute function refuse_key()`,
    );
    await expect(write('refused')).rejects.toMatchObject({ code: 'P0001' });
    await switchboard.ownerQuery('drop function refuse_key cascade');
    expect(await stored('refused')).toEqual([]);
    expect(await leftovers()).toEqual(['']);
  });

  it('joins a transaction and a dry run, and is rolled back with them', async () => {
    const undone = tenants.transaction(acme.id, async () => {
      await write('inside');
      await write('inside too');
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    await tenants.dryRun(acme.id, () => write('inside'));
    expect(await stored('inside')).toEqual([]);
  });

  it('throws unavailable and stores nothing when the server ends its connection during the statement', async () => {
    await switchboard.ownerQuery('select pg_terminate_backend($1, 5000)', [
      await reading(acme.id, () => readPid()),
    ]);
    expect(await write('before')).toEqual([{ key: 'before' }]);
    await switchboard.ownerQuery('begin; lock table idempotency_keys in exclusive mode');
    const [held] = await Promise.all([
      write('meanwhile').catch((error: unknown) => error),
      waitFor(async () => {
        // Runs outside a transaction, because pg_stat_activity does not change within one.
        await switchboard.ownerQuery('select pg_stat_clear_snapshot()');
        const ended = await switchboard.ownerQuery(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return ended.length > 0;
      }),
    ]);
    await switchboard.ownerQuery('commit');
    expect(held).toMatchObject({ code: 'unavailable' });
    expect(await stored('meanwhile')).toEqual([]);
  });
});

function insert(key: string): Promise<{ key: string }[]> {
  return tenants.session(acme.id).query(INSERT, [acme.id, key]);
}

function find(key: string): Promise<object[]> {
  return tenants.session(acme.id).query('select key from idempotency_keys where key = $1', [key]);
}

function readOrganizations(id: string): Promise<object[]> {
  return tenants.session(id).query(OWN, ['', null]);
}

async function readPid(seconds = 0): Promise<number> {
  const [row] = await tenants
    .session(acme.id)
    .query<{ pid: number }>('select pg_backend_pid() as pid, pg_sleep($1)', [seconds]);
  return row!.pid;
}

const OWN = `select distinct organization_id as id, current_setting('transaction_read_only') as only from audit_log
  where organization_id <> $1 and $2::text is null`;

function reading<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
  return tenants.transaction(organizationId, work, { readOnly: true });
}

function single<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
  return tenants.transaction(organizationId, work, { singleStatement: true });
}

/** Returns the contexts of all connections of the pool. Fails when a connection stays in a transaction. */
async function leftovers(): Promise<string[]> {
  // A connection of the pool may still be active: it opens or resets its session, or sends a statement of a worker.
  await waitFor(async () => {
    const open = await switchboard.ownerQuery(
      `select from pg_stat_activity
       where datname = current_database() and application_name = 'switchboard' and state <> 'idle'`,
    );
    return open.length === 0;
  }, STILL_OPEN_MS);
  const { source } = tenants as unknown as { source: DataSource };
  const found = await Promise.all(
    Array.from({ length: POOL }, () =>
      source.query<{ context: string }[]>(
        `select coalesce(current_setting('switchboard.context', true), '') as context, pg_sleep(0.02)`,
      ),
    ),
  );
  return [...new Set(found.map(([row]) => row!.context))];
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

const POOL = 10;
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

describe('a statement that reads and is a transaction by itself', () => {
  it('sees its own organization only, and leaves its connection no transaction and no context', async () => {
    const ids = Array.from({ length: 4 * POOL }, (_, index) => (index % 2 ? acme.id : other.id));
    const seen = await Promise.all(
      ids.map((id) => reading(id, () => tenants.read(id, OWN, ['', null]))),
    );
    expect(seen).toEqual(ids.map((id) => [{ id, only: 'on' }]));
    expect(await leftovers()).toEqual(['']);
  });

  it('cannot write, and neither that nor another failure spoils its connection', async () => {
    const write = reading(acme.id, () => tenants.read(acme.id, INSERT, [acme.id, 'once']));
    await expect(write).rejects.toMatchObject({ code: '25006' });
    const divide = reading(acme.id, () => tenants.read(acme.id, 'select 1 / $1::integer', [0]));
    await expect(divide).rejects.toMatchObject({ code: '22012' });
    expect(await leftovers()).toEqual(['']);
    const written = await tenants.transaction(acme.id, () =>
      tenants.read(acme.id, INSERT, [acme.id, 'once']),
    );
    expect(written).toEqual([{ key: 'once' }]);
  });

  it('is followed by others in a transaction of theirs', async () => {
    const found = await reading(acme.id, async () => [
      await tenants.read(acme.id, OWN, ['', null]),
      await tenants.manager(acme.id).query<object[]>('select pg_backend_pid()'),
      await tenants.read(acme.id, OWN, ['', null]),
    ]);
    expect(found.map((rows) => rows.length)).toEqual([1, 1, 1]);
    expect(await leftovers()).toEqual(['']);
  });

  it('is part of a transaction that writes, and of a dry run', async () => {
    const readBack = (): Promise<object[]> =>
      tenants.read(acme.id, 'select key from idempotency_keys where key = $1', ['undone']);
    const work = async (): Promise<never> => {
      await tenants.manager(acme.id).query(INSERT, [acme.id, 'undone']);
      expect(await readBack()).toEqual([{ key: 'undone' }]);
      throw new Error('undo');
    };
    await expect(tenants.transaction(acme.id, work)).rejects.toThrow('undo');
    await tenants.dryRun(acme.id, async () => {
      await tenants.transaction(acme.id, () =>
        tenants.manager(acme.id).query(INSERT, [acme.id, 'undone']),
      );
      expect(await reading(acme.id, readBack)).toEqual([{ key: 'undone' }]);
    });
    expect(await reading(acme.id, readBack)).toEqual([]);
  });

  it('is refused outside a transaction, in that of another organization, and after its end', async () => {
    const read = (): Promise<object[]> => tenants.read(acme.id, OWN, ['', null]);
    await expect(read()).rejects.toThrow('in a transaction only');
    await expect(reading(other.id, read)).rejects.toThrow('one organization only');
    const late = await reading(acme.id, async () => AsyncLocalStorage.bind(read));
    await expect(late()).rejects.toThrow('released');
  });

  it('takes another connection when the server ended the one that is next', async () => {
    for (let round = 0; round < 5; round += 1) {
      const before = await nextPid();
      await switchboard.ownerQuery('select pg_terminate_backend($1, 5000)', [before]);
      expect(await nextPid()).not.toBe(before);
    }
  });
});

describe('a statement that writes and is a transaction by itself', () => {
  const write = (key: string): Promise<{ key: string }[]> =>
    tenants.writeOnce(acme.id, INSERT, [acme.id, key]);
  const stored = (key: string): Promise<object[]> =>
    switchboard.ownerQuery('select key from idempotency_keys where key = $1', [key]);

  it('is committed when it has returned, and leaves its connection no transaction and no context', async () => {
    expect(await write('alone')).toEqual([{ key: 'alone' }]);
    expect(await stored('alone')).toHaveLength(1);
    expect(await leftovers()).toEqual(['']);
  });

  it('reaches its own organization only', async () => {
    const foreign = tenants.writeOnce(other.id, INSERT, [acme.id, 'foreign']);
    await expect(foreign).rejects.toMatchObject({ code: '42501' });
    expect(await stored('foreign')).toEqual([]);
    expect(await leftovers()).toEqual(['']);
  });

  it('leaves nothing where its commit fails', async () => {
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

  it('is refused inside a transaction and a dry run, which it would not be part of', async () => {
    const inside = tenants.transaction(acme.id, () => write('inside'));
    await expect(inside).rejects.toThrow('not be part');
    const dry = tenants.dryRun(acme.id, () => write('inside'));
    await expect(dry).rejects.toThrow('not be part');
    expect(await stored('inside')).toEqual([]);
  });

  it('is unavailable when the server ends its connection meanwhile, and leaves nothing', async () => {
    await switchboard.ownerQuery('select pg_terminate_backend($1, 5000)', [await nextPid()]);
    expect(await write('before')).toEqual([{ key: 'before' }]);
    await switchboard.ownerQuery('begin; lock table idempotency_keys in exclusive mode');
    const [held] = await Promise.all([
      write('meanwhile').catch((error: unknown) => error),
      waitFor(async () => {
        // Within a transaction it would see the same activity again and again.
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

/** The connection that the pool hands out next. */
async function nextPid(): Promise<number> {
  const [row] = await reading(acme.id, () =>
    tenants.read<{ pid: number }>(acme.id, 'select pg_backend_pid() as pid, $1::text', ['']),
  );
  return row!.pid;
}

const OWN = `select id, current_setting('transaction_read_only') as only from organizations
  where id <> $1 and $2::text is null`;

function reading<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
  return tenants.transaction(organizationId, work, { readOnly: true });
}

/** The contexts of all connections of the pool, none of which may be in a transaction. */
async function leftovers(): Promise<string[]> {
  const open = await switchboard.ownerQuery(
    `select state from pg_stat_activity
     where datname = current_database() and application_name = 'switchboard' and state <> 'idle'`,
  );
  expect(open).toEqual([]);
  const { source } = (tenants as unknown as { transactions: { source: DataSource } }).transactions;
  const found = await Promise.all(
    Array.from({ length: POOL }, () =>
      source.query<{ context: string }[]>(
        `select coalesce(current_setting('switchboard.context', true), '') as context, pg_sleep(0.02)`,
      ),
    ),
  );
  return [...new Set(found.map(([row]) => row!.context))];
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantDatabase } from '../../src/database/tenant-database.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

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

describe('a statement that is a transaction by itself', () => {
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
    const pid = async (): Promise<number> => {
      const rows = await reading(acme.id, () =>
        tenants.read<{ pid: number }>(acme.id, 'select pg_backend_pid() as pid, $1::text', ['']),
      );
      return rows[0]!.pid;
    };
    for (let round = 0; round < 5; round += 1) {
      const before = await pid();
      await switchboard.ownerQuery('select pg_terminate_backend($1, 5000)', [before]);
      expect(await pid()).not.toBe(before);
    }
  });
});

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

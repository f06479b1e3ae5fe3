import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepared, preparedRows } from '../../src/database/driver/statement.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';

const INSERT = preparedRows(
  'test_shared_commits',
  `insert into idempotency_keys (organization_id, tool, key, fingerprint)
   select $1, 'shared', k.key, 'x' from unnest($2::text[]) as k (key)`,
);
const READ = `select key, current_setting('transaction_read_only') as only from idempotency_keys
  where organization_id = $1 and key = $2`;
const INSERT_LOCK_TIMEOUT = preparedRows(
  'test_shared_lock_timeout',
  `insert into idempotency_keys (organization_id, tool, key, fingerprint)
   select $1, 'shared', k.key || current_setting('lock_timeout'), 'x' from unnest($2::text[]) as k (key)`,
);
const DIVIDE = prepared(
  'test_shared_reads',
  'select now()::text as now, 12 / $1::integer as value',
);

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

describe('transactions that share their commit', () => {
  it('become one transaction for each organization when they end at the same moment', async () => {
    const keys = Array.from({ length: 6 }, (_, index) => `together ${index}`);
    await Promise.all(
      keys.map((key, index) => sharing(index % 2 ? acme : other, async (org) => insert(org, key))),
    );
    const stored = await find('together');
    expect(stored.map(({ key }) => key)).toEqual(keys);
    const transactions = new Set(stored.map((row) => `${row.organization_id} ${row.xmin}`));
    expect(transactions.size).toBe(2);
  });

  it('fail separately: a failed transaction does not prevent the commit of the other transactions', async () => {
    await sharing(acme, async (org) => insert(org, 'alone 1'));
    const done: string[] = [];
    const results = await Promise.allSettled(
      ['alone 0', 'alone 1', 'alone 2'].map((key) =>
        sharing(acme, async (org) => {
          insert(org, key, () => new Error(`There is ${key}.`));
          tenants.afterCommit(() => done.push(key));
        }),
      ),
    );
    expect(results).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { message: 'There is alone 1.' } },
      { status: 'fulfilled' },
    ]);
    expect(done.sort()).toEqual(['alone 0', 'alone 2']);
    expect((await find('alone')).map(({ key }) => key)).toEqual(['alone 0', 'alone 1', 'alone 2']);
  });

  it('wait for locks only when they are committed alone', async () => {
    const queue = (key: string) =>
      sharing(acme, async (org) =>
        tenants.session(org).defer(INSERT_LOCK_TIMEOUT, [org, `lock ${key} `]),
      );
    await Promise.all([queue('a'), queue('b')]);
    await queue('c');
    const keys = (await find('lock')).map(({ key }) => key);
    expect(keys).toEqual(['lock a 50ms', 'lock b 50ms', 'lock c 5s']);
  });

  it('store nothing when their work throws', async () => {
    const failed = sharing(acme, async (org) => {
      insert(org, 'thrown');
      throw new Error('No.');
    });
    await expect(failed).rejects.toThrow('No.');
    expect(await find('thrown')).toEqual([]);
  });

  it('are not open while their work only reads, and refuse a write of read-only work', async () => {
    await sharing(acme, async (org) => {
      await reading(org, 'nothing');
      const open = await switchboard.ownerQuery(
        `select query from pg_stat_activity
         where datname = current_database() and state like 'idle in transaction%'`,
      );
      expect(open).toEqual([]);
      const write = tenants.transaction(
        org,
        () => tenants.session(org).query(INSERT, [org, ['read only']]),
        { readOnly: true },
      );
      await expect(write).rejects.toThrow('read-only transaction');
      insert(org, 'after reading');
    });
    expect(await find('after reading')).toHaveLength(1);
    expect(await find('read only')).toEqual([]);
  });

  it('read together, and a failed read does not make the other reads fail', async () => {
    const divide = (by: number) =>
      tenants.transaction(
        acme.id,
        () =>
          tenants.transaction(
            acme.id,
            () => tenants.session(acme.id).query<{ now: string; value: number }>(DIVIDE, [by]),
            { readOnly: true },
          ),
        { sharesCommit: true },
      );
    const [[three], [two]] = await Promise.all([divide(4), divide(6)]);
    expect([three!.value, two!.value]).toEqual([3, 2]);
    expect(three!.now).toBe(two!.now);
    const results = await Promise.allSettled([divide(1), divide(0), divide(3)]);
    expect(results).toMatchObject([
      { status: 'fulfilled', value: [{ value: 12 }] },
      { status: 'rejected' },
      { status: 'fulfilled', value: [{ value: 4 }] },
    ]);
  });

  it('see their queued writes in later reads, and then commit separately', async () => {
    await sharing(acme, async (org) => {
      expect(await reading(org, 'queued')).toEqual([]);
      insert(org, 'queued');
      expect(await reading(org, 'queued')).toEqual([{ key: 'queued', only: 'off' }]);
      expect(await find('queued')).toEqual([]);
    });
    expect(await find('queued')).toHaveLength(1);
  });
});

function sharing(
  { id }: TestOrganization,
  work: (organizationId: string) => Promise<void>,
): Promise<void> {
  return tenants.transaction(id, () => work(id), { sharesCommit: true });
}

function reading(organizationId: string, key: string): Promise<object[]> {
  return tenants.transaction(
    organizationId,
    () => tenants.session(organizationId).query<object>(READ, [organizationId, key]),
    { readOnly: true },
  );
}

function insert(organizationId: string, key: string, mapError?: () => Error): void {
  tenants.session(organizationId).defer(INSERT, [organizationId, key], mapError);
}

async function find(
  prefix: string,
): Promise<{ organization_id: string; key: string; xmin: string }[]> {
  return await switchboard.ownerQuery(
    `select organization_id, key, xmin::text from idempotency_keys where starts_with(key, $1) order by key`,
    [prefix],
  );
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GateDatabase } from '../../src/database/gate-database.js';
import { createContact, send } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { postJson } from '../support/post-json.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('calls of the gate that wait for a lock of an organization', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let globex: TestOrganization;
  let initech: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web', SIGN_IN_PER_MINUTE: '10' } });
    acme = await createOrganization(switchboard);
    globex = await createOrganization(switchboard);
    initech = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  const countWaiting = async (): Promise<number> => {
    // Inside a transaction, pg_stat_activity repeats its first result until the snapshot is cleared.
    await switchboard.ownerQuery('select pg_stat_clear_snapshot()');
    const [row] = await switchboard.ownerQuery<{ count: number }>(
      `select count(*)::integer from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'
         and application_name = 'switchboard gate'`,
    );
    return row!.count;
  };

  const createKeys = (organization: TestOrganization, count: number): Promise<Response>[] =>
    Array.from({ length: count }, () => organization.fetch('/api/mcp/keys', { method: 'POST' }));

  /**
   * Locks the rows of organizations, like a slow transaction of a tool that has called lock_organization(). Lets these
   * organizations create keys, and calls `work` while the creations wait.
   */
  const whileLocked = async (
    organizations: TestOrganization[],
    work: () => Promise<void>,
  ): Promise<void> => {
    const ids = organizations.map(({ id }) => id);
    const locking = 'select from organizations where id = any($1) for no key update';
    await switchboard.ownerQuery('begin');
    await switchboard.ownerQuery(locking, [ids]);
    const creations = organizations.flatMap((organization) => createKeys(organization, 5));
    try {
      await work();
    } finally {
      await switchboard.ownerQuery('rollback');
    }
    for (const { status } of await Promise.all(creations)) expect([201, 503]).toContain(status);
  };

  it('do not make the keys of another organization wait', async () => {
    await whileLocked([acme], async () => {
      await waitFor(async () => (await countWaiting()) >= 1);
      for (let count = 0; count < 10; count += 1) {
        expect(await countWaiting()).toBeLessThanOrEqual(1);
        expect((await globex.rpc(PING)).status).toBe(200);
      }
    });
  });

  it('leave connections for keys and sessions, for any number of organizations', async () => {
    const others = [await createOrganization(switchboard), await createOrganization(switchboard)];
    await whileLocked([acme, initech, ...others], async () => {
      await waitFor(async () => (await countWaiting()) >= 2);
      for (let count = 0; count < 10; count += 1) {
        expect(await countWaiting()).toBeLessThanOrEqual(2);
        expect((await globex.rpc(PING)).status).toBe(200);
        expect((await globex.fetch('/api/auth/session')).status).toBe(200);
      }
      const { email, password } = globex;
      const signedIn = await postJson(
        `${switchboard.url}/api/auth/sign-in`,
        JSON.stringify({ email, password }),
      );
      expect(signedIn.status).toBe(200);
      expect(await countWaiting()).toBeGreaterThanOrEqual(2);
    });
  });

  it.each<[string, string, (own: TestOrganization) => Promise<Response>]>([
    [
      'a person who changes the own name again and again',
      'lock table gate.users in exclusive mode',
      (own) =>
        own.fetch('/api/auth/profile', {
          method: 'PATCH',
          headers: { 'Content-Type': 'application/json' },
          body: '{"name":"A"}',
        }),
    ],
    [
      'attempts to sign in from one network',
      'lock table gate.token_buckets',
      () =>
        postJson(`${switchboard.url}/api/auth/sign-in`, '{"email":"a@example.com","password":"a"}'),
    ],
    [
      'calls with a key that was not used for a minute',
      'select from api_keys where organization_id = $1 for update',
      (own) => own.rpc(PING),
    ],
  ])('use one connection at a time for %s', async (_name, locking, request) => {
    // Other tests replace the keys of the other organizations.
    const own = await createOrganization(switchboard);
    await switchboard.ownerQuery(
      `update api_keys set last_used_at = '2020-01-01' where organization_id = $1`,
      [own.id],
    );
    await switchboard.ownerQuery('begin');
    const requests: Promise<Response>[] = [];
    try {
      await switchboard.ownerQuery(locking, locking.includes('$1') ? [own.id] : []);
      for (let count = 0; count < 10; count += 1) requests.push(request(own));
      await waitFor(async () => (await countWaiting()) >= 1);
      for (let count = 0; count < 10; count += 1) {
        expect(await countWaiting()).toBeLessThanOrEqual(1);
        expect((await globex.rpc(PING)).status).toBe(200);
      }
    } finally {
      await switchboard.ownerQuery('rollback');
    }
    await Promise.all(requests);
  });

  itSlow(
    'let each organization have its turn, no matter how many other organizations wait for locks',
    async () => {
      await whileLocked([acme, initech], async () => {
        await waitFor(async () => (await countWaiting()) >= 2);
        expect((await globex.fetch('/api/mcp/keys', { method: 'POST' })).status).toBe(201);
      });
      globex = await createOrganization(switchboard);
    },
  );

  it('never delay the renewals and releases of leases, which serve all organizations in one call', async () => {
    const gate = switchboard.app.get(GateDatabase);
    const ids: string[] = [];
    for (const organization of [acme, globex]) {
      const { id } = await createContact(organization);
      ids.push((await send(organization, { contact_id: id })).id);
    }
    const [first, second] = ids;
    await switchboard.ownerQuery('begin');
    try {
      await switchboard.ownerQuery('select from messages where id = $1 for update', [first]);
      const rows = await switchboard.ownerQuery<{ epoch: number }>(
        'select epoch from messages where id = any($1) order by id',
        [ids.toSorted()],
      );
      const claims = [ids.toSorted(), rows.map(({ epoch }) => epoch)];
      // The renewal does not wait for the locked row, and renews all claims.
      const renewed = await gate.call<{ id: string }>('renew_messages', [...claims, 15]);
      expect(renewed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      await gate.call('release_messages', claims);
    } finally {
      await switchboard.ownerQuery('rollback');
    }
    const [row] = await switchboard.ownerQuery<{ lease_until: Date | null }>(
      'select lease_until from messages where id = $1',
      [second],
    );
    expect(row!.lease_until).toBeNull();
  });
});

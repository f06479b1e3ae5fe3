import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContact } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

const CALLERS = 12;

describe('calls of an organization that wait for one lock', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let globex: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    acme = await createOrganization(switchboard);
    globex = await createOrganization(switchboard);
  });
  afterAll(() => switchboard.close());

  const countWaiting = async (): Promise<number> => {
    const [row] = await switchboard.ownerQuery<{ count: number }>(
      `select count(*)::integer from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row!.count;
  };

  it('do not make calls of another organization wait', async () => {
    const contact = await createContact(acme);
    await switchboard.ownerQuery('begin');
    await switchboard.ownerQuery('select from contacts where id = $1 for update', [contact.id]);
    let answered = 0;
    const calls = Array.from({ length: CALLERS }, async (_, index) => {
      const call = acme.call('update_contact', {
        contact_id: contact.id,
        first_name: `Name ${index}`,
      });
      const { status } = await call;
      answered += 1;
      return status;
    });
    try {
      await waitFor(async () => {
        // Inside a transaction, PostgreSQL returns the activity of the first query until the snapshot is cleared.
        await switchboard.ownerQuery('select pg_stat_clear_snapshot()');
        return (await countWaiting()) >= 7;
      });
      for (let index = 0; index < 10; index += 1) {
        expect((await globex.call('search_contacts', { query: 'x' })).status).toBe(200);
      }
      expect(answered).toBe(0);
    } finally {
      await switchboard.ownerQuery('rollback');
    }
    // All calls succeed when the lock is released before they have waited for 5 s.
    for (const status of await Promise.all(calls)) expect([200, 503]).toContain(status);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

const MINUTE_MS = 60_000;

describe('a transaction that sends a statement again and again', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let tenants: TenantDatabase;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    acme = await createOrganization(switchboard);
    tenants = switchboard.app.get(TenantDatabase, { strict: false });
  });
  afterEach(() => void vi.useRealTimers());
  afterAll(() => switchboard.close());

  const select = () => tenants.session(acme.id).query('select 1 as one');
  const hasFailed = () =>
    select().then(
      () => false,
      () => true,
    );

  it('is ended after five minutes, even when its statements change nothing of the session', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const transaction = tenants.transaction(acme.id, async () => {
      await select();
      vi.advanceTimersByTime(5 * MINUTE_MS - 1);
      expect(await select()).toEqual([{ one: 1 }]);
      vi.advanceTimersByTime(1);
      vi.useRealTimers();
      await waitFor(hasFailed);
    });
    await expect(transaction).rejects.toMatchObject({ code: 'unavailable' });
    const later = await tenants.transaction(acme.id, select);
    expect(later).toEqual([{ one: 1 }]);
  });
});

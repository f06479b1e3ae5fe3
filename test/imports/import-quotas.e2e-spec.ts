import { expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { upload } from '../support/uploaded-import.js';
import { NO_COUNTS, contactsOf, startAndWait } from './import.js';

it('an import fails when the quota of contacts is used up, and continues without duplicates when there is room', async () => {
  const switchboard = await sharedSwitchboard();
  const acme = await createOrganization(switchboard);
  /** Sets the quota and measures the organization, as `npm run quotas` does. */
  const setQuota = async (amount: number) => {
    await switchboard.ownerQuery(
      `insert into private.quota_exceptions (organization_id, name, amount) values ($1, 'contacts', $2)
       on conflict (organization_id, name) do update set amount = excluded.amount`,
      [acme.id, amount],
    );
    await switchboard.ownerQuery('select gate.measure_quotas($1)', [acme.id]);
  };
  await acme.call('create_contact', { email: 'first@example.com' });
  await setQuota(1);
  const file = 'email,first_name\nfirst@example.com,Ada\nsecond@example.com,Bob\n';
  const { id } = await upload(acme, file);
  const refused = await startAndWait(acme, id);
  expect(refused).toMatchObject({ status: 'failed', counts: NO_COUNTS, processed: 0 });
  expect(refused.error).toContain('The organization has used its quota of 1 contacts.');
  // The refused import has written no row.
  expect(await contactsOf(acme)).toMatchObject([{ first_name: null }]);

  await setQuota(1000);
  const done = await startAndWait(acme, id);
  expect(done).toMatchObject({
    status: 'completed',
    counts: { ...NO_COUNTS, created: 1, updated: 1 },
  });
});

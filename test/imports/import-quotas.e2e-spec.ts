import { beforeAll, expect, it } from 'vitest';
import { createOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { upload } from '../support/uploaded-import.js';
import { NO_COUNTS, contactsOf, importFile, startAndWait } from './import.js';

let switchboard: RunningSwitchboard;

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});

/** Sets a quota and measures the organization, as `npm run quotas` does. */
async function setQuota(organizationId: string, name: string, amount: number): Promise<void> {
  await switchboard.ownerQuery(
    `insert into private.quota_exceptions (organization_id, name, amount) values ($1, $2, $3)
     on conflict (organization_id, name) do update set amount = excluded.amount`,
    [organizationId, name, amount],
  );
  await switchboard.ownerQuery('select gate.measure_quotas($1)', [organizationId]);
}

it('an import fails when the quota of contacts is used up, and continues without duplicates when there is room', async () => {
  const acme = await createOrganization(switchboard);
  await acme.call('create_contact', { email: 'first@example.com' });
  await setQuota(acme.id, 'contacts', 1);
  const file = 'email,first_name\nfirst@example.com,Ada\nsecond@example.com,Bob\n';
  const { id } = await upload(acme, file);
  const refused = await startAndWait(acme, id);
  expect(refused).toMatchObject({ status: 'failed', counts: NO_COUNTS, processed: 0 });
  expect(refused.error).toContain('The organization has used its quota of 1 contacts.');
  // The refused import has written no row.
  expect(await contactsOf(acme)).toMatchObject([{ first_name: null }]);

  await setQuota(acme.id, 'contacts', 1000);
  const done = await startAndWait(acme, id);
  expect(done).toMatchObject({
    status: 'completed',
    counts: { ...NO_COUNTS, created: 1, updated: 1 },
  });
});

it.each([
  ['rejects a row', 'email\nwrong\n', {}],
  ['updates a contact', 'email,first_name\nfirst@example.com,Ada\n', {}],
  ['only checks a new contact', 'email\nsecond@example.com\n', { check_only: true }],
])(
  'an import that %s stores nothing when the quota of stored bytes is used up',
  async (_, file, options) => {
    const acme = await createOrganization(switchboard);
    await acme.call('create_contact', { email: 'first@example.com' });
    const { id } = await upload(acme, file);
    await setQuota(acme.id, 'stored_bytes', 1);
    const refused = await startAndWait(acme, id, options);
    expect(refused).toMatchObject({ status: 'failed', counts: NO_COUNTS, processed: 0 });
    expect(refused.error).toContain('The organization has used its quota of 1 stored bytes.');
  },
);

it('an import stores its first 100,000 rejected rows, and counts the others', async () => {
  const acme = await createOrganization(switchboard);
  const rows = 100_600;
  const { id, status, counts } = await importFile(acme, `email\n${'x\n'.repeat(rows)}`);
  expect({ status, counts }).toEqual({
    status: 'completed',
    counts: { ...NO_COUNTS, failed: rows },
  });
  const [stored] = await switchboard.ownerQuery(
    `select count(*)::integer as count, min(row) as first, max(row) as last from import_faults
     where organization_id = $1 and import_id = $2`,
    [acme.id, id],
  );
  expect(stored).toEqual({ count: 100_000, first: 2, last: 100_001 });
});

import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { importFile } from '../imports/import.js';
import { createOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { upload } from '../support/uploaded-import.js';

it('the stored bytes of an organization include rejected rows of imports, aliases, suppressed addresses and decisions about topics', async () => {
  const switchboard = await sharedSwitchboard();
  const acme = await createOrganization(switchboard);
  const bytes = async (): Promise<number> => {
    const [row] = await switchboard.ownerQuery<{ bytes: string }>(
      'select private.stored_bytes($1, 1, 0, 4000) as bytes',
      [acme.id],
    );
    return Number(row!.bytes);
  };
  const grows = async (most: number, change: () => Promise<unknown>): Promise<void> => {
    const before = await bytes();
    await change();
    const more = (await bytes()) - before;
    expect(more).toBeGreaterThan(0);
    expect(more).toBeLessThan(most);
  };
  const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
    email: 'a@example.com',
  });
  const { id } = value.contact;
  await acme.call('create_topic', { name: 'news', title: 'News', default: 'opted_in' });
  await grows(1000, () =>
    acme.call('add_contact_alias', { contact_id: id, email: 'b@example.com' }),
  );
  await grows(1000, () => acme.call('suppress_address', { address: 'c@example.com' }));
  await grows(2000, () =>
    acme.call('set_topic_subscription', { contact_id: id, topic: 'news', subscribed: false }),
  );
  const long = randomBytes(400).toString('hex');
  const lengthened = await bytes();
  await switchboard.ownerQuery(
    `update topic_subscriptions set source = $2, confirmation_address = $2 where organization_id = $1`,
    [acme.id, long],
  );
  expect((await bytes()) - lengthened).toBeGreaterThan(1.5 * long.length);
  const logged = await bytes();
  await switchboard.ownerQuery(
    `insert into consent_changes (organization_id, contact_id, recorded_for, kind, name, from_state, to_state, source)
     values ($1, $2, $2, 'channel', $3, $3, $3, $3)`,
    [acme.id, id, long],
  );
  expect((await bytes()) - logged).toBeGreaterThan(3.5 * long.length);
  // PostgreSQL cannot compress this text.
  const rejected = `wrong${randomBytes(2000).toString('hex')}`;
  const file = `email\n${rejected}\n`;
  const before = await bytes();
  await importFile(acme, file);
  expect((await bytes()) - before).toBeGreaterThan(1.9 * file.length);
});

itSlow(
  'the stored bytes of an organization include more than a million rejected rows and identifiers of imports',
  async () => {
    const switchboard = await sharedSwitchboard();
    const acme = await createOrganization(switchboard);
    const { id } = await upload(acme, 'email\na@example.com\n');
    const rows = 1_200_000;
    for (const [table, columns, values, least] of [
      ['import_faults', 'cells, reasons', `'[]', ''`, 90],
      ['import_keys', 'key', `lpad(number::text, 32, '0')::uuid`, 140],
    ] as const) {
      await switchboard.ownerQuery('begin');
      try {
        // Without this setting, PostgreSQL would look up the import of each row.
        await switchboard.ownerQuery('set local session_replication_role = replica');
        await switchboard.ownerQuery(
          `insert into ${table} (organization_id, import_id, generation, row, ${columns})
         select $1, $2, 1, number, ${values} from generate_series(1, $3::integer) number`,
          [acme.id, id, rows],
        );
        const [row] = await switchboard.ownerQuery<{ bytes: string }>(
          'select private.stored_bytes($1, 0, 0, 4000) as bytes',
          [acme.id],
        );
        expect(Number(row!.bytes)).toBeGreaterThan(least * rows);
      } finally {
        await switchboard.ownerQuery('rollback');
      }
    }
  },
);

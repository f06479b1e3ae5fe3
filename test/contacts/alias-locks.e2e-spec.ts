import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import type { ContactResult } from './contact.js';

const EMAIL = 'locked@example.com';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
let contactId: string;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  const { value } = await acme.call<ContactResult>('create_contact', { email: 'own@example.com' });
  contactId = value.contact.id;
});

const insertAlias = `insert into contact_aliases (organization_id, kind, value, contact_id) values ($1, 'email', $3, $2)`;
const insertContact = `insert into contacts (organization_id, id, email, search_text) values ($1, $2 || 'new', $3, '')`;

describe('an address that two open transactions store', () => {
  it.each([
    { first: insertContact, second: insertAlias, rows: 1 },
    { first: insertAlias, second: insertContact, rows: 1 },
  ])('is stored once: $second waits', async ({ first, second, rows }) => {
    const [one, two] = [await connect(), await connect()];
    try {
      const values = [acme.id, contactId, `${rows}${first.length}${EMAIL}`];
      await one.client.query('begin');
      await one.client.query(first, values);
      await two.client.query('begin');
      const waiting = two.client.query(second, values).then(
        ({ rowCount }) => rowCount,
        (error: { code?: string }) => error.code,
      );
      await waitFor(async () => {
        const [row] = await switchboard.ownerQuery<{ waits: boolean }>(
          'select exists (select from pg_locks where pid = $1 and not granted) as waits',
          [two.pid],
        );
        return row!.waits;
      });
      await one.client.query('commit');
      // The insert of the contact is skipped, as with ON CONFLICT DO NOTHING.
      expect([0, '23505']).toContain(await waiting);
    } finally {
      await one.client.end();
      await two.client.end();
    }
  });
});

async function connect(): Promise<{ client: Client; pid: number }> {
  const client = new Client({ connectionString: switchboard.databaseUrl });
  await client.connect();
  return { client, pid: (client as Client & { processID: number }).processID };
}

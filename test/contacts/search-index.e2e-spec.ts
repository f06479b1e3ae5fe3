import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContextSigner } from '../../src/database/transactions/context-signer.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import type { ContactPage } from './contact.js';

/** The number of contacts. With fewer, a search may read the table instead of the index. */
const MANY = 3000;

describe('search_contacts with many contacts', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    acme = await createOrganization(switchboard);
    const other = await createOrganization(switchboard);
    for (const { id } of [acme, other]) {
      await switchboard.ownerQuery(
        `insert into contacts (organization_id, id, email, search_text, created_at)
         select $1, 'con_' || n, 'person' || n || '@example.com', 'person' || n || '@example.com',
           now() - make_interval(secs => n)
         from generate_series(1, $2::integer) n`,
        [id, MANY],
      );
    }
    await switchboard.ownerQuery('analyze contacts');
  });
  afterAll(() => switchboard.close());

  const pages = async (query: string): Promise<string[]> => {
    const found: string[] = [];
    let cursor: string | null | undefined;
    do {
      const given: object = { query, limit: 100, cursor };
      const { value, error } = await acme.call<ContactPage>('search_contacts', given);
      expect(error).toBeUndefined();
      found.push(...value.contacts.map(({ id }) => id));
      cursor = value.next_cursor;
    } while (cursor);
    return found;
  };
  const expected = (fits: (email: string) => boolean): string[] =>
    Array.from({ length: MANY }, (_, index) => index + 1)
      .filter((n) => fits(`person${n}@example.com`))
      .map((n) => `con_${n}`);

  it.each(['person2999@', 'N123', '777', 'on1', 'example', '@', '2@e', '_', '%'])(
    'returns every contact that contains %s once and in order',
    async (query) => {
      const wanted = expected((email) => email.includes(query.toLowerCase()));
      expect(await pages(query)).toEqual(wanted);
    },
  );

  it('reads no index entry of another organization, so statistics about the search show nothing of it', async () => {
    const neighbour = `org_neighbour${acme.id.at(-1)!}`;
    await switchboard.ownerQuery(`insert into organizations (id, name) values ($1, 'Neighbour')`, [
      neighbour,
    ]);
    await switchboard.ownerQuery(
      `insert into contacts (organization_id, id, email, search_text)
       values ($1, 'con_1', 'jane@victim.example', 'jane@victim.example')`,
      [neighbour],
    );
    const counts = await inTransaction(async (client) => {
      await client.query(`select public.find_contact_ids('jane@victim', null, 1000)`);
      const { rows } = await client.query<{ scans: string; entries: string }>(
        `select pg_stat_get_xact_numscans('public.contacts_search_text_idx'::regclass) as scans,
           pg_stat_get_xact_tuples_returned('public.contacts_search_text_idx'::regclass) as entries`,
      );
      return rows[0]!;
    });
    expect(Number(counts.scans)).toBeGreaterThan(0);
    expect(counts.entries).toBe('0');
  });

  it.each([
    { text: 'son2999@', ids: ['con_2999'], byIndex: true },
    { text: 'example', ids: null, byIndex: false },
    { text: '9@', ids: null, byIndex: false },
  ])('uses the text index for $text: $byIndex', async ({ text, ids, byIndex }) => {
    await inTransaction(async (client) => {
      const found = await client.query(`select public.find_contact_ids($1, null, 1000) as ids`, [
        text,
      ]);
      expect(found.rows).toEqual([{ ids }]);
      const { rows } = await client.query<{ scans: string; others: string }>(
        `select pg_stat_get_xact_numscans('public.contacts_search_text_idx'::regclass) as scans,
           pg_stat_get_xact_tuples_returned('public.contacts'::regclass) +
           (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_index
            where indrelid = 'public.contacts'::regclass
              and indexrelid <> 'public.contacts_search_text_idx'::regclass) as others`,
      );
      expect(Number(rows[0]!.scans) > 0).toBe(byIndex);
      // A search by index must not also read the other contacts.
      expect(Number(rows[0]!.others)).toBeLessThanOrEqual(20);
    });
  });

  /** Runs SQL as a tool could, in a transaction of the organization. */
  async function inTransaction<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const { tenant, contextKey, ...access } = switchboard.access;
    const client = new Client({ ...access, ...tenant });
    await client.connect();
    try {
      const { processID } = client as Client & { processID: number };
      const signature = new ContextSigner(contextKey).sign(acme.id, processID);
      await client.query('begin');
      await client.query('select open_context($1, $2)', [acme.id, signature]);
      return await work(client);
    } finally {
      await client.end();
    }
  }
});

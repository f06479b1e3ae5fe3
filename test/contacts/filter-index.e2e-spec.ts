import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import type { ContactPage } from './contact.js';

/** The number of contacts. With fewer, a search may read the table instead of the index. */
const MANY = 3000;

describe('conditions on tags and properties of many contacts', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
    acme = await createOrganization(switchboard);
    const other = await createOrganization(switchboard);
    for (const { id } of [acme, other]) {
      await switchboard.ownerQuery(
        `insert into contacts (organization_id, id, external_id, search_text, tags, properties)
         select $1, 'con_' || n, 'p' || n, 'p' || n, array['t' || n % 1000],
           jsonb_build_object('code', n % 1000, 'exact', (n % 1000)::numeric(8, 2), 'plan', 'p' || n % 2)
         from generate_series(1, $2::integer) n`,
        [id, MANY],
      );
    }
    await switchboard.ownerQuery('analyze contacts');
  });
  afterAll(() => switchboard.close());

  const countScans = async (): Promise<number> => {
    const [row] = await switchboard.ownerQuery<{ scans: string }>(
      `select pg_stat_get_numscans('public.contacts_filter_idx'::regclass) as scans`,
    );
    return Number(row!.scans);
  };

  it.each([
    [[{ field: 'properties.code', operator: 'equals', value: 7 }], 3],
    [[{ field: 'properties.exact', operator: 'equals', value: 7 }], 3],
    [[{ field: 'tags', operator: 'contains', value: 't9' }], 3],
    [[{ field: 'tags', operator: 'in', value: ['t9', 't8'] }], 6],
    [
      [
        {
          or: [
            { field: 'tags', operator: 'contains', value: 't9' },
            { field: 'properties.code', operator: 'equals', value: 7 },
          ],
        },
      ],
      6,
    ],
    [[{ field: 'properties.none', operator: 'is_set' }], 0],
    [[{ field: 'properties.plan', operator: 'equals', value: 'p1' }], 1500],
    [
      [
        { field: 'properties.plan', operator: 'equals', value: 'p1' },
        { field: 'tags', operator: 'contains', value: 't9' },
      ],
      3,
    ],
  ])('find every contact, and no other, for %j', async (filters, count) => {
    const found = new Set<string>();
    let cursor: string | null | undefined;
    do {
      const given: object = { filters, limit: 100, cursor };
      const { value } = await acme.call<ContactPage>('search_contacts', given);
      for (const { id } of value.contacts) found.add(id);
      cursor = value.next_cursor;
    } while (cursor);
    expect(found.size).toBe(count);
    const counted = await acme.call<object>('count_contacts', { filters });
    expect(counted.value).toEqual({ count, is_complete: true });
  });

  it('read the index', async () => {
    const before = await countScans();
    const filters = [{ field: 'properties.code', operator: 'equals', value: 7 }];
    await acme.call('search_contacts', { filters });
    // PostgreSQL reports the statistics of a session some time after its statement.
    await waitFor(async () => (await countScans()) > before);
  });
});

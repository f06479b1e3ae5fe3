import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import type { ContactPage, ContactResult } from './contact.js';

interface Duplicate {
  contact_id: string;
  other_id: string;
  name: string | null;
  address: string | null;
  other_name: string | null;
  other_address: string | null;
  reason: string;
  shared: string;
}
interface Page {
  duplicates: Duplicate[];
  next_cursor: string | null;
}

let switchboard: RunningSwitchboard;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
});

const create = async (acme: TestOrganization, given: object): Promise<string> =>
  (await acme.call<ContactResult>('create_contact', given)).value.contact.id;
const find = async (acme: TestOrganization, given: object = {}): Promise<Page> =>
  (await acme.call<Page>('find_duplicates', given)).value;

describe('find_duplicates', () => {
  it('proposes each pair once for each reason, and changes nothing', async () => {
    const acme = await createOrganization(switchboard);
    const first = await create(acme, { email: 'jane.doe@gmail.com', first_name: 'Jane' });
    const second = await create(acme, { email: 'janedoe+shop@googlemail.com' });
    const ada = { first_name: 'Ada', last_name: 'Lovelace' };
    const third = await create(acme, { external_id: 'CRM-1', ...ada });
    const fourth = await create(acme, {
      external_id: 'crm-1',
      first_name: 'ADA',
      last_name: 'lovelace',
    });
    await create(acme, { email: 'jane.doe@example.com' });
    const before = await acme.call<ContactPage>('search_contacts');
    expect((await find(acme)).duplicates).toEqual([
      {
        contact_id: first,
        name: 'Jane',
        address: 'jane.doe@gmail.com',
        other_id: second,
        other_name: 'janedoe+shop@googlemail.com',
        other_address: 'janedoe+shop@googlemail.com',
        reason: 'similar_email',
        shared: 'janedoe@gmail.com',
      },
      {
        contact_id: third,
        name: 'Ada Lovelace',
        address: 'CRM-1',
        other_id: fourth,
        other_name: 'ADA lovelace',
        other_address: 'crm-1',
        reason: 'same_external_id',
        shared: 'crm-1',
      },
      expect.objectContaining({ contact_id: third, other_id: fourth, reason: 'same_name' }),
    ]);
    expect((await acme.call<ContactPage>('search_contacts')).value).toEqual(before.value);
    const names = await find(acme, { reason: 'same_name' });
    expect(names.duplicates.map(({ shared }) => shared)).toEqual(['ada lovelace']);
  });

  it('also compares aliases', async () => {
    const acme = await createOrganization(switchboard);
    const first = await create(acme, { email: 'a.b@example.com' });
    const second = await create(acme, { external_id: 'x' });
    await acme.call('add_contact_alias', { contact_id: second, email: 'ab+1@example.com' });
    expect((await find(acme)).duplicates).toMatchObject([{ contact_id: first, other_id: second }]);
    // A contact is not a duplicate of itself.
    await acme.call('add_contact_alias', { contact_id: first, email: 'ab+2@example.com' });
    expect((await find(acme)).duplicates).toHaveLength(1);
  });

  it('returns pairs of many equal contacts in pages, each with the oldest contact', async () => {
    const acme = await createOrganization(switchboard);
    await switchboard.ownerQuery(
      `insert into contacts (organization_id, id, email, first_name, last_name, search_text, created_at)
       select $1, 'con_' || n, n || '@example.com', 'Jo', 'Do', 'jo do' || chr(10) || n || '@example.com',
         now() - make_interval(secs => n)
       from generate_series(1, 250) n`,
      [acme.id],
    );
    const found: Duplicate[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await find(acme, { limit: 100, cursor });
      found.push(...page.duplicates);
      cursor = page.next_cursor;
    } while (cursor);
    expect(found).toHaveLength(249);
    expect(new Set(found.map(({ contact_id: id }) => id))).toEqual(new Set(['con_250']));
    expect(new Set(found.map(({ other_id: id }) => id)).size).toBe(249);
  });

  it('refuses a forged cursor', async () => {
    const acme = await createOrganization(switchboard);
    for (const parts of [['nothing'], ['same_name', 'a\0', 'con_1'], ['same_name', 'a', "'"]]) {
      const cursor = Buffer.from(JSON.stringify(parts)).toString('base64url');
      const { error } = await acme.call('find_duplicates', { cursor });
      expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path: 'cursor' }] });
    }
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import {
  createOrganization,
  type Outcome,
  type TestOrganization,
} from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import type { ContactPage, ContactResult } from './contact.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;

const PEOPLE = [
  {
    external_id: 'ada',
    email: 'ada@example.com',
    phone: '+4930123456',
    first_name: 'Ada',
    last_name: 'Lovelace',
    tags: ['vip', 'maths'],
    properties: { plan: 'pro', seats: 5, active: true, since: '2026-01-05' },
    consent: { email: 'granted' },
  },
  {
    external_id: 'grace',
    email: 'grace@example.org',
    first_name: 'Grace',
    last_name: 'Hopper',
    tags: ['vip'],
    properties: { plan: 'Free', seats: 50, active: false, since: '2026-03-01' },
    consent: { email: 'denied', sms: 'granted' },
  },
  { external_id: 'bare', locale: 'de', properties: { seats: '5' } },
  { external_id: 'jose', email: 'jose@example.com', first_name: 'JOSÉ', last_name: 'Ångström' },
];

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  const other = await createOrganization(switchboard);
  for (const person of PEOPLE) {
    expect((await acme.call('create_contact', person)).error).toBeUndefined();
    await other.call('create_contact', { ...person, last_name: 'Foreign' });
  }
});

describe('search_contacts', () => {
  it.each([
    ['ada', ['ada']],
    ['LOVE', ['ada']],
    ['ada lovelace', ['ada']],
    ['grace hopp', ['grace']],
    ['EXAMPLE.COM', ['ada', 'jose']],
    ['+49 (30) 123-4', ['ada']],
    ['30123', ['ada']],
    ['bare', ['bare']],
    ['josé å', ['jose']],
    ['jose\u0301', ['jose']],
    ['lovelace ada', []],
    ['nobody', []],
    ['', ['ada', 'bare', 'grace', 'jose']],
  ])('finds contacts by the text %j', async (query, expected) => {
    expect(await search({ query })).toEqual(expected);
  });

  it.each(
    sample(
      [
        ['email', 'equals', 'ADA@example.com', ['ada']],
        ['email', 'not_equals', 'ada@example.com', ['bare', 'grace', 'jose']],
        ['email', 'contains', 'EXAMPLE.com', ['ada', 'jose']],
        ['email', 'not_contains', 'example.com', ['bare', 'grace']],
        ['email', 'is_set', undefined, ['ada', 'grace', 'jose']],
        ['email', 'is_not_set', undefined, ['bare']],
        ['email', 'in', ['ADA@example.com', 'grace@example.org'], ['ada', 'grace']],
        ['email', 'in', [], []],
        ['first_name', 'equals', 'Ada', ['ada']],
        ['first_name', 'equals', 'ada', []],
        ['first_name', 'starts_with', 'gr', ['grace']],
        ['first_name', 'starts_with', 'race', []],
        ['locale', 'equals', 'de', ['bare']],
        ['phone', 'equals', '+49 30 123456', ['ada']],
        ['phone', 'contains', '30 12', ['ada']],
        ['external_id', 'in', ['ada', 'bare', 'other'], ['ada', 'bare']],
        ['tags', 'contains', 'vip', ['ada', 'grace']],
        ['tags', 'not_contains', 'maths', ['bare', 'grace', 'jose']],
        ['tags', 'in', ['maths', 'x'], ['ada']],
        ['tags', 'is_not_set', undefined, ['bare', 'jose']],
        ['properties.plan', 'equals', 'pro', ['ada']],
        ['properties.plan', 'not_equals', 'pro', ['bare', 'grace', 'jose']],
        ['properties.plan', 'contains', 'FRE', ['grace']],
        ['properties.plan', 'not_contains', 'fre', ['ada', 'bare', 'jose']],
        ['properties.plan', 'starts_with', 'p', ['ada']],
        ['properties.plan', 'is_set', null, ['ada', 'grace']],
        ['properties.seats', 'equals', 5, ['ada']],
        ['properties.seats', 'equals', '5', ['bare']],
        ['properties.seats', 'greater_than', 5, ['grace']],
        ['properties.seats', 'less_than', 50, ['ada']],
        ['properties.seats', 'in', [5, '5', true], ['ada', 'bare']],
        ['properties.since', 'greater_than', '2026-02-01', ['grace']],
        ['properties.active', 'equals', false, ['grace']],
        ['properties.unknown', 'is_not_set', undefined, ['ada', 'bare', 'grace', 'jose']],
        ['consent.email', 'equals', 'granted', ['ada']],
        ['consent.email', 'not_equals', 'granted', ['bare', 'grace', 'jose']],
        ['consent.email', 'in', ['granted', 'denied'], ['ada', 'grace']],
        ['consent.sms', 'is_set', undefined, ['grace']],
        ['created_at', 'greater_than', '2020-01-01', ['ada', 'bare', 'grace', 'jose']],
        ['updated_at', 'less_than', '2020-01-01T00:00:00+02:00', []],
      ],
      3,
    ),
  )('filters by %s %s %j', async (field, operator, value, expected) => {
    expect(await search({ filters: [{ field, operator, value }] })).toEqual(expected);
  });

  it('combines text and filters with "and"', async () => {
    const filters = [
      { field: 'tags', operator: 'contains', value: 'vip' },
      { field: 'properties.seats', operator: 'greater_than', value: 1 },
    ];
    expect(await search({ filters })).toEqual(['ada', 'grace']);
    expect(await search({ filters, query: 'hopper' })).toEqual(['grace']);
  });

  it.each([
    ['-created_at', ['jose', 'bare', 'grace', 'ada']],
    ['created_at', ['ada', 'grace', 'bare', 'jose']],
    ['email', ['ada', 'grace', 'jose', 'bare']],
    ['-email', ['jose', 'grace', 'ada', 'bare']],
    ['external_id', ['ada', 'bare', 'grace', 'jose']],
  ])('returns every contact once over all pages, sorted by %s', async (sort, expected) => {
    const seen: (string | null)[] = [];
    let cursor: string | null = null;
    do {
      const page: Outcome<ContactPage> = await acme.call('search_contacts', {
        sort,
        limit: 1,
        cursor,
      });
      expect(page.error).toBeUndefined();
      expect(page.value.contacts).toHaveLength(1);
      seen.push(...page.value.contacts.map((contact) => contact.external_id));
      cursor = page.value.next_cursor;
    } while (cursor);
    expect(seen).toEqual(expected);
  });

  it('returns contacts without a value in the sort field on the last pages', async () => {
    const third = await createOrganization(switchboard);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const made = await third.call<ContactResult>('create_contact', { external_id: `n${index}` });
      ids.push(made.value.contact.id);
    }
    for (const sort of ['email', '-email', 'first_name', '-last_name']) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Outcome<ContactPage> = await third.call('search_contacts', {
          sort,
          limit: 2,
          cursor,
        });
        seen.push(...page.value.contacts.map(({ id }) => id));
        cursor = page.value.next_cursor;
      } while (cursor);
      expect(seen.toSorted()).toEqual(ids.toSorted());
    }
  });

  it('continues after the last contact of a page when contacts were added or deleted meanwhile', async () => {
    const third = await createOrganization(switchboard);
    const make = (id: string) => third.call<ContactResult>('create_contact', { external_id: id });
    for (const id of ['a', 'c', 'e']) await make(id);
    const given = { sort: 'external_id', limit: 2 };
    const first = await third.call<ContactPage>('search_contacts', given);
    await make('b');
    await third.call('delete_contact', { contact_id: first.value.contacts[1]!.id });
    const second = await third.call<ContactPage>('search_contacts', {
      ...given,
      cursor: first.value.next_cursor,
    });
    expect(second.value.contacts.map((contact) => contact.external_id)).toEqual(['e']);
  });

  it('rejects cursors of other searches and invalid cursors', async () => {
    const first = await acme.call<ContactPage>('search_contacts', { limit: 1 });
    const cursor = first.value.next_cursor!;
    const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [print] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string];
    const bad = [
      { cursor, query: 'ada' },
      { cursor, sort: 'email' },
      { cursor, filters: [{ field: 'tags', operator: 'is_set' }] },
      { cursor: 'x' },
      { cursor: '' },
      { cursor: cursor.slice(0, -3) },
      { cursor: forged([print, '-created_at', 'infinity', 'con_1']) },
      { cursor: forged([print, '-created_at', '2026-01-01T00:00:00Z', '\0']) },
      { cursor: forged([print, '-created_at', '2026-01-01T00:00:00Z', { $ne: 1 }]) },
      { cursor: forged([print, '-created_at', null, 'con_1']) },
      { cursor: forged([print, 'email', 'a\0', 'con_1']), sort: 'email' },
      { cursor: forged([print, 'email', '\ud800', 'con_1']), sort: 'email' },
      { cursor: forged([print, 'email', ['a'], 'con_1']), sort: 'email' },
      { cursor: forged(null) },
    ];
    for (const given of bad) {
      const { error } = await acme.call('search_contacts', given);
      expect(error, JSON.stringify(given)).toMatchObject({
        code: 'invalid_arguments',
        details: [{ path: 'cursor' }],
      });
    }
  });

  it('gives another organization no access through a cursor', async () => {
    const first = await acme.call<ContactPage>('search_contacts', { limit: 1 });
    const other = await createOrganization(switchboard);
    const page = await other.call<ContactPage>('search_contacts', {
      limit: 1,
      cursor: first.value.next_cursor,
    });
    expect(page.value).toEqual({ contacts: [], next_cursor: null });
  });
});

/** Returns the external ids of the results, sorted. */
async function search(given: object): Promise<(string | null)[]> {
  const { value, error } = await acme.call<ContactPage>('search_contacts', given);
  expect(error).toBeUndefined();
  for (const { last_name } of value.contacts) expect(last_name).not.toBe('Foreign');
  return value.contacts.map((contact) => contact.external_id).toSorted();
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import type { ContactPage } from './contact.js';

let switchboard: Switchboard;
let acme: TestOrganization;

const HOSTILE = [
  `' or 1=1 --`,
  `'; drop table contacts; --`,
  `" or ""="`,
  `\\' or 1=1 --`,
  `') or organization_id is not null or (last_name = '`,
  `%`,
  `%%`,
  `_`,
  `\\`,
  `\\%`,
  `%\\`,
  `\\\\`,
  `100%`,
  `a_b`,
  `:organizationId`,
  `:filter0 or 1=1`,
  `:...filter0`,
  `$1`,
  `$$ or 1=1 $$`,
  `{{ 7 | times: 7 }}`,
  `{"$ne": null}`,
  `null`,
  `*`,
  `.*`,
  `[a-z]`,
  `(((((((((((a+)+)+)+)+`,
  `\u202e`,
  `\u{10ffff}`,
  `\n`,
  `\t`,
  `/* */`,
  `E'\\x41'`,
  `U&'\\0041'`,
  `contact.organizationId`,
  `"contact"."organization_id"`,
  `<script>alert(1)</script>`,
  `__proto__`,
  `constructor`,
];
const TEXT_OPERATORS = ['equals', 'contains', 'starts_with'];
const FIELDS = ['external_id', 'first_name', 'properties.note'];

beforeAll(async () => {
  switchboard = await startSwitchboard();
  acme = await createOrganization(switchboard);
  const other = await createOrganization(switchboard);
  for (const organization of [acme, other]) {
    const plain = { external_id: 'plain', first_name: 'Plain', properties: { note: 'plain' } };
    await organization.call('create_contact', plain);
  }
  for (const text of HOSTILE) {
    const given = { external_id: text, first_name: text, tags: [text], properties: { note: text } };
    expect((await acme.call('create_contact', given)).error, text).toBeUndefined();
  }
});
afterAll(() => switchboard.close());

describe('hostile text in search_contacts', () => {
  it.each(HOSTILE)('treats the query %j literally', async (query) => {
    expect(await search({ query })).toEqual(
      expectedOf((text) => `${text}\n${text}`.toLowerCase().includes(query.toLowerCase())),
    );
  });

  it.each(FIELDS)('treats values of filters on %s literally', async (field) => {
    for (const value of sample(HOSTILE, 3)) {
      for (const operator of TEXT_OPERATORS) {
        const found = await search({ filters: [{ field, operator, value }] });
        expect(found, `${operator} ${value}`).toEqual(
          expectedOf((text) => matches(operator, text, value)),
        );
      }
    }
  });

  it('treats tags literally', async () => {
    for (const value of sample(HOSTILE, 3)) {
      const contains = [{ field: 'tags', operator: 'contains', value }];
      expect(await search({ filters: contains })).toEqual([value]);
      const lists = [{ field: 'tags', operator: 'in', value: [value, '{plain}'] }];
      expect(await search({ filters: lists })).toEqual([value]);
    }
  });

  it('rejects hostile text as a field, operator, sort order or property name', async () => {
    for (const text of sample(HOSTILE, 3)) {
      const bad = [
        { filters: [{ field: text, operator: 'is_set' }] },
        { filters: [{ field: `properties.${text} `, operator: 'is_set' }] },
        { filters: [{ field: `consent.${text}`, operator: 'is_set' }] },
        { filters: [{ field: 'email', operator: text, value: 'x' }] },
        { sort: text },
        { sort: `-${text}` },
      ];
      for (const given of bad) {
        const { error } = await acme.call('search_contacts', given);
        expect(error?.code, JSON.stringify(given)).toBe('invalid_arguments');
      }
    }
  });

  it('changes no contact', async () => {
    const rows = await switchboard.ownerQuery('select from contacts');
    expect(rows).toHaveLength(HOSTILE.length + 2);
  });
});

/** Returns the external ids of all results, over all pages, sorted by code units. */
async function search(given: object): Promise<(string | null)[]> {
  const { value, error } = await acme.call<ContactPage>('search_contacts', {
    ...given,
    limit: 100,
  });
  expect(error, JSON.stringify(given)).toBeUndefined();
  return value.contacts.map((contact) => contact.external_id).sort();
}

function expectedOf(isMatch: (text: string) => boolean): string[] {
  const plain = isMatch('plain') ? ['plain'] : [];
  return [...HOSTILE.filter(isMatch), ...plain].sort();
}

function matches(operator: string, text: string, value: string): boolean {
  if (operator === 'equals') return text === value;
  const [inside, wanted] = [text.toLowerCase(), value.toLowerCase()];
  return operator === 'contains' ? inside.includes(wanted) : inside.startsWith(wanted);
}

import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import type { Contact, ContactResult } from './contact.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
let contact: Contact;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  const { value } = await acme.call<ContactResult>('create_contact', { email: 'a@example.com' });
  contact = value.contact;
});

const many = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, value]));

/** Lists the field, the invalid value, and the expected path of the fault if it differs from the field. */
const BAD_FIELDS: [string, unknown, string?][] = [
  ['email', 'nonsense'],
  ['email', 'a@b'],
  ['email', 'a@example.com\r\nBcc: b@example.com'],
  ['email', 'a@example.com\n'],
  ['email', ' a@example.com'],
  ['email', 'a@example.com, b@example.com'],
  ['email', 'a@example.com;b@example.com'],
  ['email', 'Ada <ada@example.com>'],
  ['email', '<ada@example.com>'],
  ['email', '"a b"@example.com'],
  ['email', 'a@@example.com'],
  ['email', 'a@exam\u0000ple.com'],
  ['email', 'a@example.com\ud800'],
  ['email', `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(66)}.com`],
  ['email', `${'a'.repeat(65)}@example.com`],
  ['email', 7],
  ['email', ['a@example.com']],
  ['email', { address: 'a@example.com' }],
  ['phone', '030 123456'],
  ['phone', '+0 30 123456'],
  ['phone', '+15550000001'],
  ['phone', '+9990000000'],
  ['phone', '+49'],
  ['phone', '+4930abc456'],
  ['phone', '+49301234567890123'],
  ['phone', '+49 30 123456 ext 5'],
  ['phone', '++4930123456'],
  ['phone', '(+49) 30 123456'],
  ['phone', '+49\n30123456'],
  ['phone', '+٤٩٣٠١٢٣٤٥٦'],
  ['phone', 4930123456],
  ['external_id', 'x'.repeat(256)],
  ['external_id', 'a\ufe0f'.repeat(255)],
  ['external_id', 5],
  ['first_name', 'x'.repeat(256)],
  ['first_name', 'a\0b'],
  ['first_name', 'a\udfff'],
  ['last_name', false],
  ['locale', 'en_US'],
  ['locale', 'not a locale'],
  ['locale', 'x'.repeat(100)],
  ['timezone', 'Mars/Olympus'],
  ['timezone', '+02:00'],
  ['timezone', 'Europe/Berlin\n'],
  ['tags', 'vip'],
  ['tags', { 0: 'vip' }],
  ['tags', ['']],
  ['tags', ['x'.repeat(65)]],
  ['tags', [1]],
  ['tags', [['vip']], 'tags[0]'],
  ['tags', ['ok', '\0'], 'tags[1]'],
  ['tags', ['a\ufe0f'.repeat(64)], 'tags[0]'],
  ['tags', Array.from({ length: 51 }, (_, index) => `t${index}`)],
  ['properties', []],
  ['properties', 'plan'],
  ['properties', { 'bad name': 1 }, 'properties.bad name'],
  ['properties', { '1st': 1 }, 'properties.1st'],
  ['properties', { '': 1 }, 'properties.'],
  ['properties', { [`a${'b'.repeat(64)}`]: 1 }, `properties.a${'b'.repeat(64)}`],
  ['properties', { nested: { a: 1 } }, 'properties.nested'],
  ['properties', { list: [1] }, 'properties.list'],
  ['properties', { long: 'x'.repeat(1025) }, 'properties.long'],
  ['properties', { nul: 'a\0' }, 'properties.nul'],
  ['properties', { half: '\ud83d' }, 'properties.half'],
  ['properties', { constructor: 'x' }, 'properties.constructor'],
  ['properties', { toString: 'x' }, 'properties.toString'],
  ['properties', { nested: { constructor: 'x' } }, 'properties.nested'],
  ['properties', JSON.parse('{"__proto__": {"admin": true}}')],
  ['properties', many(101)],
  ['properties', many(66, 'x'.repeat(1000))],
  ['consent', 'granted'],
  ['consent', { email: 'maybe' }, 'consent.email'],
  ['consent', { email: true }, 'consent.email'],
  ['consent', { fax: 'granted' }, 'consent.fax'],
  ['consent', { email: { status: 'granted', source: 'me' } }, 'consent.email'],
];

describe('invalid arguments of contact tools', () => {
  it.each(sample(BAD_FIELDS, 3))('are rejected: %s %j', async (field, value, path = field) => {
    const calls = [
      ['create_contact', { external_id: 'wrong', [field]: value }],
      ['update_contact', { contact_id: contact.id, [field]: value }],
    ] as const;
    for (const [tool, given] of calls) {
      const { error, status } = await acme.call(tool, given);
      expect(status, tool).toBe(422);
      expect(error?.code, tool).toBe('invalid_arguments');
      expect(
        error?.details?.map((detail) => detail.path),
        tool,
      ).toContain(path);
    }
  });

  it.each([
    ['create_contact', {}, ''],
    ['create_contact', { first_name: 'Nobody' }, ''],
    ['create_contact', { email: 'x@example.com', on_conflict: 'ignore' }, 'on_conflict'],
    ['get_contact', {}, ''],
    ['get_contact', { contact_id: 'a', email: 'a@example.com' }, ''],
    ['get_contact', { contact_id: '' }, 'contact_id'],
    ['get_contact', { contact_id: 'x'.repeat(65) }, 'contact_id'],
    ['get_contact', { contact_id: { $ne: null } }, 'contact_id'],
    ['update_contact', { first_name: 'x' }, 'contact_id'],
    ['update_contact', { contact_id: null }, 'contact_id'],
    ['delete_contact', {}, 'contact_id'],
    ['delete_contact', { contact_id: ['a'] }, 'contact_id'],
    ['search_contacts', { limit: 0 }, 'limit'],
    ['search_contacts', { limit: 101 }, 'limit'],
    ['search_contacts', { limit: 1.5 }, 'limit'],
    ['search_contacts', { limit: '5' }, 'limit'],
    ['search_contacts', { sort: 'phone; drop' }, 'sort'],
    ['search_contacts', { query: 'x'.repeat(256) }, 'query'],
    ['search_contacts', { query: '\0' }, 'query'],
    ['search_contacts', { query: ['a'] }, 'query'],
    ['search_contacts', { filters: {} }, 'filters'],
    ['search_contacts', { filters: ['email'] }, 'filters[0]'],
    ['search_contacts', { filters: [{ field: 'email' }] }, 'filters[0].operator'],
    ['search_contacts', filter('id', 'equals', 'x'), 'filters[0].field'],
    ['search_contacts', filter('organization_id', 'equals', 'x'), 'filters[0].field'],
    ['search_contacts', filter('search_text', 'contains', 'x'), 'filters[0].field'],
    ['search_contacts', filter('constructor', 'equals', 'x'), 'filters[0].field'],
    ['search_contacts', filter('consent.fax', 'is_set'), 'filters[0].field'],
    ['search_contacts', filter('email', 'greater_than', 'a'), 'filters[0].operator'],
    ['search_contacts', filter('tags', 'equals', 'a'), 'filters[0].operator'],
    ['search_contacts', filter('email', 'equals'), 'filters[0].value'],
    ['search_contacts', filter('email', 'equals', 5), 'filters[0].value'],
    ['search_contacts', filter('email', 'equals', ['a']), 'filters[0].value'],
    ['search_contacts', filter('email', 'equals', '\0'), 'filters[0].value'],
    ['search_contacts', filter('email', 'is_set', true), 'filters[0].value'],
    ['search_contacts', filter('email', 'in', 'a'), 'filters[0].value'],
    ['search_contacts', filter('email', 'in', [{ a: 1 }]), 'filters[0].value'],
    ['search_contacts', filter('email', 'contains', 'x'.repeat(1025)), 'filters[0].value'],
    ['search_contacts', filter('properties.a', 'contains', 5), 'filters[0].value'],
    ['search_contacts', filter('properties.a', 'greater_than', true), 'filters[0].value'],
    ['search_contacts', filter('properties.a', 'equals', { b: 1 }), 'filters[0].value'],
    ['search_contacts', filter('consent.email', 'equals', 'yes'), 'filters[0].value'],
    ['search_contacts', filter('created_at', 'greater_than', 'yesterday'), 'filters[0].value'],
    ['search_contacts', filter('created_at', 'greater_than', 5), 'filters[0].value'],
    ['search_contacts', filter('created_at', 'less_than', '2026-02-30'), 'filters[0].value'],
    ['search_contacts', filter('created_at', 'less_than', '0000-01-01'), 'filters[0].value'],
    [
      'search_contacts',
      filter('created_at', 'less_than', '+275760-09-13T00:00:00Z'),
      'filters[0].value',
    ],
    [
      'search_contacts',
      { filters: [{ field: 'email', operator: 'is_set', constructor: 1 }] },
      'filters[0].constructor',
    ],
    [
      'search_contacts',
      { filters: Array.from({ length: 51 }, () => ({ field: 'email', operator: 'is_set' })) },
      'filters',
    ],
  ])('are rejected: %s %j', async (tool, given, path) => {
    const { error } = await acme.call(tool, given);
    expect(error?.code).toBe('invalid_arguments');
    expect(error?.details?.map((detail) => detail.path)).toContain(path);
  });

  it('change nothing in the database', async () => {
    const rows = await switchboard.ownerQuery(
      'select id from contacts where organization_id = $1',
      [acme.id],
    );
    expect(rows).toEqual([{ id: contact.id }]);
    const got = await acme.call<ContactResult>('get_contact', { contact_id: contact.id });
    expect(got.value.contact).toEqual(contact);
  });
});

function filter(field: string, operator: string, value?: unknown): object {
  return { filters: [{ field, operator, value }] };
}

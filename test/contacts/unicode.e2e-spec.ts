import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import type { ContactPage, ContactResult } from './contact.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const TEXTS = [
  'José',
  'Jose\u0301',
  '王小明',
  'محمد \u200f‏',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  '\u{1d518}\u{10ffff}\ufffe\uffff',
  ' \t\r\n\u00a0\u2028\ufeff ',
  'İıŞß ẞ ΣΑΣ σας',
  '"\\/\b\f\u0001\u001f\u007f\u0085',
  'é'.repeat(255),
  '👍🏽'.repeat(30),
];

describe('text of contacts', () => {
  it.each(TEXTS)('is returned unchanged: %j', async (text) => {
    const given = {
      external_id: text,
      first_name: text,
      last_name: text,
      tags: [text.slice(0, 30).toWellFormed()],
      properties: { text },
    };
    const { value, error } = await acme.call<ContactResult>('create_contact', given);
    expect(error).toBeUndefined();
    const got = await acme.call<ContactResult>('get_contact', { external_id: text });
    for (const { contact } of [value, got.value]) {
      expect(bytes(contact.external_id)).toEqual(bytes(text));
      expect(bytes(contact.first_name)).toEqual(bytes(text));
      expect(bytes(contact.last_name)).toEqual(bytes(text));
      expect(bytes(contact.properties.text as string)).toEqual(bytes(text));
      expect(contact.tags).toEqual(given.tags);
    }
    const [row] = await switchboard.ownerQuery<{ first: Buffer; property: Buffer }>(
      `select convert_to(first_name, 'UTF8') as first, convert_to(properties ->> 'text', 'UTF8') as property
       from contacts where id = $1`,
      [value.contact.id],
    );
    expect(row).toEqual({ first: bytes(text), property: bytes(text) });
    const found = await acme.call<ContactPage>('search_contacts', {
      query: text.toUpperCase().slice(0, 100).toWellFormed(),
      filters: [{ field: 'external_id', operator: 'equals', value: text }],
    });
    // Some letters, such as ß and final sigma, become other letters when they are converted to uppercase and back to
    // lowercase. A query in uppercase does not find a text with such letters.
    if (text.toUpperCase().toLowerCase() === text.toLowerCase() && text.length <= 100) {
      expect(found.value.contacts.map(({ id }) => id)).toEqual([value.contact.id]);
    }
  });

  it.each([0, -0.5, 5e-324, 1.7976931348623157e308, 9007199254740992, 0.1, -1e21])(
    'keeps the number %d exactly',
    async (number) => {
      const given = { external_id: `number ${number}`, properties: { number } };
      const { value } = await acme.call<ContactResult>('create_contact', given);
      const got = await acme.call<ContactResult>('get_contact', { contact_id: value.contact.id });
      expect(got.value.contact.properties.number).toBe(number);
      const filters = [{ field: 'properties.number', operator: 'equals', value: number }];
      const found = await acme.call<ContactPage>('search_contacts', { filters });
      expect(found.value.contacts.map(({ id }) => id)).toEqual([value.contact.id]);
    },
  );
});

function bytes(text: string | null): Buffer {
  return Buffer.from(text ?? '');
}

import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import type { Contact, ContactResult } from './contact.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const ADA = {
  external_id: 'crm-1',
  email: 'Ada@Example.com',
  phone: '+49 (30) 123-456',
  first_name: 'Ada',
  last_name: 'Lovelace',
  locale: 'en-gb',
  timezone: 'europe/London',
  tags: ['vip', 'maths', 'vip'],
  properties: { plan: 'pro', seats: 5, active: false, note: '', gone: null },
  consent: { email: 'granted', sms: 'denied' },
};

describe('create_contact', () => {
  it('stores every field, normalized, and returns the complete contact', async () => {
    const { value } = await acme.call<ContactResult>('create_contact', ADA);
    expect(value.created).toBe(true);
    const { contact } = value;
    expect(contact).toEqual({
      id: expect.stringMatching(/^con_[0-9A-Za-z]{22}$/) as string,
      external_id: 'crm-1',
      email: 'ada@example.com',
      phone: '+4930123456',
      first_name: 'Ada',
      last_name: 'Lovelace',
      locale: 'en-GB',
      timezone: 'europe/London',
      tags: ['vip', 'maths'],
      properties: { plan: 'pro', seats: 5, active: false, note: '' },
      consent: {
        email: { status: 'granted', source: 'dashboard', updated_at: anyTime() },
        sms: { status: 'denied', source: 'dashboard', updated_at: anyTime() },
      },
      created_at: anyTime(),
      updated_at: contact.created_at,
    });
    for (const key of [
      { contact_id: contact.id },
      { email: 'ADA@example.COM' },
      { external_id: 'crm-1' },
    ]) {
      const got = await acme.call<{ contact: Contact }>('get_contact', key);
      expect(got.value).toEqual({ contact });
    }
  });

  it('treats null and empty text like absent fields', async () => {
    const { value } = await acme.call<ContactResult>('create_contact', {
      email: 'nulls@example.com',
      phone: null,
      external_id: '',
      first_name: '',
      tags: null,
      properties: null,
      consent: null,
      on_conflict: null,
    });
    expect(value.contact).toMatchObject({ phone: null, external_id: null, first_name: null });
    expect(value.contact).toMatchObject({ tags: [], properties: {}, consent: {} });
  });

  it.each([
    ['email', { email: 'TAKEN@example.com' }],
    ['external_id', { external_id: 'taken', email: 'free@example.com' }],
    ['phone', { phone: '+1 202 555 0001' }],
  ])(
    'answers conflict with the path %s when another contact has the same value',
    async (field, given) => {
      await acme.call('create_contact', {
        email: 'taken@example.com',
        external_id: 'taken',
        phone: '+12025550001',
        on_conflict: 'update',
      });
      const { error, status } = await acme.call('create_contact', given);
      expect(status).toBe(409);
      expect(error).toMatchObject({ code: 'conflict', details: [{ path: field }] });
      expect(error?.message).toContain(field);
    },
  );

  it('updates the existing contact when on_conflict is update, and keeps fields that are absent', async () => {
    const first = await acme.call<ContactResult>('create_contact', {
      email: 'upsert@example.com',
      first_name: 'Grace',
      properties: { a: 1, b: 2 },
    });
    const second = await acme.call<ContactResult>('create_contact', {
      email: 'Upsert@Example.com',
      last_name: 'Hopper',
      phone: '+12025550002',
      properties: { b: null, c: 3 },
      on_conflict: 'update',
    });
    expect(second.value.created).toBe(false);
    expect(second.value.contact).toMatchObject({
      id: first.value.contact.id,
      first_name: 'Grace',
      last_name: 'Hopper',
      phone: '+12025550002',
      properties: { a: 1, c: 3 },
    });
  });

  it('answers conflict, even when on_conflict is update, if the identifiers belong to two contacts', async () => {
    await acme.call('create_contact', { email: 'one@example.com' });
    await acme.call('create_contact', { phone: '+12025550003', email: 'two@example.com' });
    const { error } = await acme.call('create_contact', {
      email: 'one@example.com',
      phone: '+12025550003',
      on_conflict: 'update',
    });
    expect(error).toMatchObject({ code: 'conflict', details: [{ path: 'phone' }] });
  });

  it('allows the same identifiers in two organizations', async () => {
    const other = await createOrganization(switchboard);
    const same = { email: 'same@example.com', external_id: 'same', phone: '+12025550004' };
    const [mine, theirs] = [
      await acme.call<ContactResult>('create_contact', same),
      await other.call<ContactResult>('create_contact', same),
    ];
    expect(mine.value.created && theirs.value.created).toBe(true);
    expect(mine.value.contact.id).not.toBe(theirs.value.contact.id);
  });

  it('returns and accepts values that match the published schemas', async () => {
    const response = await acme.fetch('/api/tools');
    const { tools } = (await response.json()) as {
      tools: { name: string; inputSchema: object; outputSchema: object }[];
    };
    const ajv = new Ajv({ strict: false, formats: { email: true } });
    const tool = tools.find(({ name }) => name === 'create_contact')!;
    const full = {
      ...ADA,
      email: 'schema@example.com',
      external_id: 'schema',
      phone: '+12025550005',
    };
    expect(ajv.validate(tool.inputSchema, full), ajv.errorsText()).toBe(true);
    const { value } = await acme.call<ContactResult>('create_contact', full);
    expect(ajv.validate(tool.outputSchema, value), ajv.errorsText()).toBe(true);
    const bare = await acme.call<ContactResult>('create_contact', { external_id: 'bare' });
    expect(ajv.validate(tool.outputSchema, bare.value), ajv.errorsText()).toBe(true);
    const search = tools.find(({ name }) => name === 'search_contacts')!;
    const page = await acme.call('search_contacts', { limit: 1 });
    expect(ajv.validate(search.outputSchema, page.value), ajv.errorsText()).toBe(true);
  });
});

function anyTime(): string {
  return expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
}

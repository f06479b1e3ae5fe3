import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import type { Contact, ContactResult } from './contact.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
let ada: Contact;
let counter = 0;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

describe('update_contact', () => {
  it('changes only the fields that are given', async () => {
    ada = await createAda();
    const { value } = await update({ last_name: 'King', tags: ['b'] });
    expect(value.contact).toEqual({
      ...ada,
      last_name: 'King',
      tags: ['b'],
      updated_at: value.contact.updated_at,
    });
    expect(Date.parse(value.contact.updated_at)).toBeGreaterThanOrEqual(Date.parse(ada.updated_at));
    const got = await acme.call<ContactResult>('get_contact', { contact_id: ada.id });
    expect(got.value.contact).toEqual(value.contact);
  });

  it('clears fields that are null', async () => {
    ada = await createAda();
    const { value } = await update({
      phone: null,
      first_name: null,
      last_name: '',
      locale: null,
      timezone: null,
      tags: null,
      properties: null,
    });
    expect(value.contact).toMatchObject({
      email: ada.email,
      phone: null,
      first_name: null,
      last_name: null,
      locale: null,
      timezone: null,
      tags: [],
      properties: {},
    });
  });

  it('merges properties and removes those that are null', async () => {
    ada = await createAda();
    const { value } = await update({ properties: { a: null, b: 'two', c: 3 } });
    expect(value.contact.properties).toEqual({ b: 'two', c: 3, keep: true });
  });

  it('rejects an update that would make more than 100 properties', async () => {
    ada = await createAda();
    const many = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, index]));
    expect((await update({ properties: many('x', 97) })).error).toBeUndefined();
    const { error } = await update({ properties: { one_more: 1 } });
    expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path: 'properties' }] });
  });

  it('records consent for each channel, and keeps time and source when the same decision is repeated', async () => {
    ada = await createAda();
    const granted = await update({ consent: { email: 'granted' } });
    const again = await update({ consent: { email: 'granted', sms: 'denied' } });
    expect(again.value.contact.consent.email).toEqual(granted.value.contact.consent.email);
    expect(again.value.contact.consent.sms).toMatchObject({
      status: 'denied',
      source: 'dashboard',
    });
    const byAgent = await acme.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'update_contact',
        arguments: { contact_id: ada.id, consent: { email: 'denied' } },
      },
    });
    expect(byAgent.status).toBe(200);
    const { value } = await acme.call<ContactResult>('get_contact', { contact_id: ada.id });
    expect(value.contact.consent.email).toMatchObject({ status: 'denied', source: 'agent' });
    expect(value.contact.consent.sms).toEqual(again.value.contact.consent.sms);
  });

  it.each(['email', 'external_id', 'phone'] as const)(
    'answers conflict for the %s of another contact and changes nothing',
    async (field) => {
      const other = await createAda();
      ada = await createAda();
      const { error } = await update({ [field]: other[field], first_name: 'Changed' });
      expect(error).toMatchObject({ code: 'conflict', details: [{ path: field }] });
      const { value } = await acme.call<ContactResult>('get_contact', { contact_id: ada.id });
      expect(value.contact).toEqual(ada);
    },
  );

  it('accepts the identifiers that the contact already has', async () => {
    ada = await createAda();
    const { email, phone, external_id } = ada;
    expect((await update({ email, phone, external_id })).error).toBeUndefined();
  });

  it('rejects an update that would clear the last identifier', async () => {
    ada = await createAda();
    const { error } = await update({ email: null, phone: null, external_id: null });
    expect(error?.code).toBe('invalid_arguments');
    expect((await update({ email: null, phone: null })).error).toBeUndefined();
  });

  it('makes the contact searchable by its new name and not by the old one', async () => {
    ada = await createAda();
    await update({ first_name: `Zuse${counter}` });
    const found = async (query: string) =>
      (await acme.call<{ contacts: Contact[] }>('search_contacts', { query })).value.contacts.some(
        ({ id }) => id === ada.id,
      );
    expect(await found(`zuse${counter}`)).toBe(true);
    expect(await found(`ada${counter} lovelace`)).toBe(false);
  });

  it('answers not_found for an unknown contact', async () => {
    const { error, status } = await acme.call('update_contact', {
      contact_id: 'con_unknown',
      first_name: 'X',
    });
    expect(status).toBe(404);
    expect(error).toMatchObject({ code: 'not_found', message: 'No contact has this id.' });
  });
});

function update(changes: object) {
  return acme.call<ContactResult>('update_contact', { contact_id: ada.id, ...changes });
}

async function createAda(): Promise<Contact> {
  counter += 1;
  const { value } = await acme.call<ContactResult>('create_contact', {
    email: `ada${counter}@example.com`,
    phone: `+1202555${String(counter).padStart(4, '0')}`,
    external_id: `ada-${counter}`,
    first_name: `Ada${counter}`,
    last_name: 'Lovelace',
    locale: 'en',
    timezone: 'UTC',
    tags: ['a'],
    properties: { a: 1, b: 2, keep: true },
  });
  return value.contact;
}

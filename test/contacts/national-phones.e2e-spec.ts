import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import type { ContactPage, ContactResult } from './contact.js';

let acme: TestOrganization;
beforeAll(async () => {
  acme = await createOrganization(await sharedSwitchboard());
});

const setRegion = (region: string | null) => acme.call('set_contact_settings', { region });

describe('phone numbers in national form', () => {
  it('are refused without a region', async () => {
    const { error } = await acme.call('create_contact', { phone: '030 123456' });
    expect(error).toMatchObject({
      code: 'invalid_arguments',
      details: [
        { path: 'phone', message: expect.stringContaining('international form') as string },
      ],
    });
  });

  it('are stored in E.164 with the region of the organization', async () => {
    await setRegion('de');
    const { value } = await acme.call<ContactResult>('create_contact', { phone: '(030) 123456' });
    expect(value.contact.phone).toBe('+4930123456');
    const foreign = await acme.call<ContactResult>('create_contact', { phone: '+43 1 5123456' });
    expect(foreign.value.contact.phone).toBe('+4315123456');
    const again = await acme.call('create_contact', { phone: '0049 30 123456' });
    expect(again.error?.code).toBe('conflict');
    const wrong = await acme.call('create_contact', { phone: '1' });
    expect(wrong.error?.code).toBe('invalid_arguments');
  });

  it('find their contact in search_contacts, record_message and a step of a workflow', async () => {
    await setRegion('DE');
    const given = { phone: '030 222333', on_conflict: 'update' };
    const { value } = await acme.call<ContactResult>('create_contact', given);
    const filters = [{ field: 'phone', operator: 'equals', value: '030/222333' }];
    const found = await acme.call<ContactPage>('search_contacts', { filters });
    expect(found.value.contacts.map(({ id }) => id)).toEqual([value.contact.id]);
    const arrived = { channel: 'sms', phone: '030 222333', body: 'Hello' };
    const message = await acme.call<{ message: object }>('record_message', arrived);
    expect(message.value.message).toMatchObject({ contact_id: value.contact.id });
  });

  it('need a region that is a known country', async () => {
    expect((await setRegion('ZZ')).error).toMatchObject({
      code: 'invalid_arguments',
      details: [{ path: 'region' }],
    });
    await setRegion(null);
    const { value } = await acme.call<{ settings: object }>('get_contact_settings');
    expect(value.settings).toMatchObject({ region: null, strict_properties: false });
  });
});

describe('Brazilian phone numbers', () => {
  it('of mobile phones are one number with and without the ninth digit', async () => {
    const { value } = await acme.call<ContactResult>('create_contact', {
      phone: '+55 11 8765-4321',
    });
    expect(value.contact.phone).toBe('+5511987654321');
    const again = await acme.call<ContactResult>('create_contact', {
      phone: '+55 11 9 8765-4321',
      on_conflict: 'update',
    });
    expect(again.value).toMatchObject({ created: false, contact: { id: value.contact.id } });
    await setRegion('BR');
    const national = await acme.call<ContactResult>('create_contact', {
      phone: '(11) 8765-4321',
      on_conflict: 'update',
    });
    expect(national.value.contact.id).toBe(value.contact.id);
  });

  it('of fixed lines get no ninth digit', async () => {
    const { value } = await acme.call<ContactResult>('create_contact', {
      phone: '+55 11 3333-4444',
    });
    expect(value.contact.phone).toBe('+551133334444');
  });
});

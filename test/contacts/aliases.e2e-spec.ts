import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { createWorkflow, getRun, postWebhook } from '../workflows/support/workflow-client.js';
import type { Contact, ContactPage, ContactResult } from './contact.js';

interface Aliases {
  aliases: { kind: string; value: string }[];
}

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

let counter = 0;
const created = async (given: object = {}): Promise<Contact> => {
  counter += 1;
  const fields = { email: `person${counter}@example.com`, ...given };
  return (await acme.call<ContactResult>('create_contact', fields)).value.contact;
};
const aliased = async (email: string, given: object = {}): Promise<Contact> => {
  const contact = await created(given);
  const { error } = await acme.call('add_contact_alias', { contact_id: contact.id, email });
  expect(error).toBeUndefined();
  return contact;
};

describe('aliases of contacts', () => {
  it('are stored normalized, are listed, and are added once', async () => {
    const { id: contact_id } = await created();
    const email = { contact_id, email: 'Jane@XN--mnchen-3ya.de' };
    const first = await acme.call('add_contact_alias', email);
    expect((await acme.call('add_contact_alias', email)).value).toEqual(first.value);
    await acme.call('add_contact_alias', { contact_id, phone: '+49 30 999001' });
    const { value } = await acme.call<Aliases>('list_contact_aliases', { contact_id });
    expect(value.aliases.map(({ kind, value: address }) => [kind, address])).toEqual([
      ['email', 'jane@münchen.de'],
      ['phone', '+4930999001'],
    ]);
  });

  it('find their contact in get_contact, send_message, record_message, emit_event and the text search', async () => {
    const contact = await aliased('other.name@example.com');
    const { id: contact_id } = contact;
    const phone = '+49 30 999002';
    await acme.call('add_contact_alias', { contact_id, phone });
    const got = await acme.call<ContactResult>('get_contact', { email: 'Other.Name@example.com' });
    expect(got.value.contact.id).toBe(contact_id);
    const given = { email: 'other.name@example.com', subject: 'Hello', body: 'Hello' };
    const sent = await acme.call<{ message: object }>('send_message', given);
    expect(sent.value.message).toMatchObject({ contact_id, to: contact.email });
    const arrived = { channel: 'sms', phone, body: 'Hello' };
    const recorded = await acme.call<{ message: object }>('record_message', arrived);
    expect(recorded.value.message).toMatchObject({ contact_id });
    const found = await acme.call<ContactPage>('search_contacts', { query: 'other.name@' });
    expect(found.value.contacts.map(({ id }) => id)).toEqual([contact_id]);
    // A later change of the contact keeps its aliases in the search.
    await acme.call('update_contact', { contact_id, first_name: 'Jane' });
    const later = await acme.call<ContactPage>('search_contacts', { query: '999002' });
    expect(later.value.contacts.map(({ id }) => id)).toEqual([contact_id]);
  });

  it('apply the consent of their contact', async () => {
    await aliased('second.denied@example.com', { consent: { email: 'denied' } });
    const given = { email: 'second.denied@example.com', subject: 'Hello', body: 'Hello' };
    expect((await acme.call('send_message', given)).error?.code).toBe('no_consent');
  });

  it('identify the contact of a run by the e-mail address in the payload of a webhook', async () => {
    const contact = await aliased('webhook.alias@example.com');
    const idn = await aliased('Jane@bücher.example');
    const { id } = await createWorkflow(acme, []);
    for (const [email, expected] of [
      ['Webhook.Alias@example.com', contact.id],
      ['jane@xn--bcher-kva.example', idn.id],
    ]) {
      const { body } = await postWebhook(switchboard, id, { email });
      expect((await getRun(acme, body.runId)).contact_id).toBe(expected);
    }
  });

  it('are found by create_contact, which does not change the address of the contact', async () => {
    const contact = await aliased('upsert.alias@example.com');
    const given = { email: 'upsert.alias@example.com', first_name: 'Jane' };
    const refused = await acme.call('create_contact', given);
    expect(refused.error).toMatchObject({
      code: 'conflict',
      details: [{ path: 'email', message: `belongs to the contact ${contact.id}` }],
    });
    const { value } = await acme.call<ContactResult>('create_contact', {
      ...given,
      on_conflict: 'update',
    });
    expect(value).toMatchObject({
      created: false,
      contact: { id: contact.id, email: contact.email, first_name: 'Jane' },
    });
  });

  it('cannot be an address or an alias of another contact', async () => {
    const contact = await aliased('taken.alias@example.com');
    const other = await created();
    const add = (contact_id: string, email: string | null) =>
      acme.call('add_contact_alias', { contact_id, email });
    for (const [id, email] of [
      [other.id, 'taken.alias@example.com'],
      [other.id, contact.email],
      [contact.id, contact.email],
    ] as const) {
      expect((await add(id, email)).error).toMatchObject({
        code: 'conflict',
        details: [{ path: 'email' }],
      });
    }
    const update = { contact_id: other.id, email: 'taken.alias@example.com' };
    expect((await acme.call('update_contact', update)).error).toMatchObject({
      code: 'conflict',
      details: [{ path: 'email' }],
    });
  });

  it('become the address of their contact when update_contact sets this address', async () => {
    const contact = await aliased('promoted@example.com');
    const given = { contact_id: contact.id, email: 'promoted@example.com' };
    expect((await acme.call('update_contact', given)).error).toBeUndefined();
    const { value } = await acme.call<Aliases>('list_contact_aliases', { contact_id: contact.id });
    expect(value.aliases).toEqual([]);
  });

  it('are free again after their removal and after the deletion of their contact', async () => {
    const first = await aliased('freed@example.com');
    const given = { contact_id: first.id, email: 'FREED@example.com' };
    expect((await acme.call('remove_contact_alias', given)).error).toBeUndefined();
    expect((await acme.call('remove_contact_alias', given)).error?.code).toBe('not_found');
    const second = await aliased('freed@example.com');
    await acme.call('delete_contact', { contact_id: second.id });
    expect((await created({ email: 'freed@example.com' })).email).toBe('freed@example.com');
    const search = await acme.call<ContactPage>('search_contacts', { query: 'freed@' });
    expect(search.value.contacts).toHaveLength(1);
  });

  it('of one organization are free in another', async () => {
    await aliased('shared.alias@example.com');
    const other = await createOrganization(switchboard);
    const given = { email: 'shared.alias@example.com' };
    const { value } = await other.call<ContactResult>('create_contact', given);
    expect(value.created).toBe(true);
  });

  it('are at most 50 for a contact', async () => {
    const { id: contact_id } = await created();
    await switchboard.ownerQuery(
      `insert into contact_aliases (organization_id, kind, value, contact_id)
       select $1, 'email', 'many' || n || '@example.com', $2 from generate_series(1, 50) n`,
      [acme.id, contact_id],
    );
    const { error } = await acme.call('add_contact_alias', { contact_id, email: 'x@example.com' });
    expect(error).toMatchObject({ code: 'conflict', message: expect.stringContaining('50') });
  });

  it('never share an address with another contact, in any order of two concurrent calls', async () => {
    const holders = await Promise.all(Array.from({ length: 20 }, () => created()));
    const outcomes = await Promise.all(
      holders.flatMap(({ id }, index) => {
        const email = `race.alias${index}@example.com`;
        return [
          acme.call('add_contact_alias', { contact_id: id, email }),
          acme.call('create_contact', { email }),
        ];
      }),
    );
    for (const { error } of outcomes) expect([undefined, 'conflict']).toContain(error?.code);
    const both = await switchboard.ownerQuery(
      `select a.value from contact_aliases a
       join contacts c on c.organization_id = a.organization_id and c.email = a.value`,
    );
    expect(both).toEqual([]);
    const rows = await switchboard.ownerQuery(
      `select value from contact_aliases where organization_id = $1 and value like 'race.alias%'
       union all select email from contacts where organization_id = $1 and email like 'race.alias%'`,
      [acme.id],
    );
    expect(rows).toHaveLength(20);
  });
});

describe('similar addresses', () => {
  it.each(['jane.doe', 'janedoe', 'jane.doe+news'])('do not make %s a duplicate', async (name) => {
    const { value } = await acme.call<ContactResult>('create_contact', {
      email: `${name}@distinct.example`,
    });
    expect(value.created).toBe(true);
  });
});

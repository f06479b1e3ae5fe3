import { beforeAll, describe, expect, it } from 'vitest';
import { ContactBatchesService } from '../../src/contacts/contact-batches.service.js';
import { ContactMergesService } from '../../src/contacts/contact-merges.service.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { commitWhenAwaited } from '../support/commit-when-awaited.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import type { Contact, ContactResult } from './contact.js';
import { createContact, find, merge } from './merged-contacts.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
let number = 0;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  await acme.call('create_topic', { name: 'news', title: 'News', default: 'opted_in' });
});

/** Creates two contacts and merges the second into the first. Only the second has a phone number, unless `both`. */
async function mergeTwo(both = true): Promise<{ survivor: Contact; merged: Contact }> {
  number += 2;
  const phoneOf = (digits: number) => `+4930123${1000 + digits}`;
  const survivor = await createContact(acme, both ? { phone: phoneOf(number) } : {});
  const merged = await createContact(acme, { phone: phoneOf(number + 1) });
  expect((await merge(acme, survivor.id, merged.id)).error).toBeUndefined();
  return { survivor, merged };
}

/** Undoes the merge, and commits only when `work` waits for this transaction. Returns the result of `work`. */
function whileUnmerging<T>({ id }: Contact, work: () => Promise<T>): Promise<T> {
  const merges = switchboard.app.get(ContactMergesService);
  return commitWhenAwaited(switchboard, acme.id, () => merges.unmerge(acme.id, id), work);
}

const smsOf = async ({ id }: Contact) => (await find(acme, id)).consent.sms?.status;
const newsOf = async ({ id }: Contact) => {
  const { value } = await acme.call<{ subscriptions: { state: string }[] }>(
    'list_topic_subscriptions',
    { contact_id: id },
  );
  return value.subscriptions[0]!.state;
};

describe('while a merge is undone', () => {
  it('a topic that the merged contact leaves is left by the restored contact', async () => {
    const { survivor, merged } = await mergeTwo();
    const left = { contact_id: merged.id, topic: 'news', subscribed: false };
    await whileUnmerging(merged, () => acme.call('set_topic_subscription', left));
    expect(await newsOf(merged)).toBe('unsubscribed');
    expect(await newsOf(survivor)).toBe('subscribed');
  });

  it('a change of the merged contact changes the restored contact', async () => {
    const { survivor, merged } = await mergeTwo();
    const changed = { contact_id: merged.id, consent: { sms: 'denied' } };
    const { value } = await whileUnmerging(merged, () =>
      acme.call<ContactResult>('update_contact', changed),
    );
    expect(value.contact.id).toBe(merged.id);
    expect(await smsOf(merged)).toBe('denied');
    expect(await smsOf(survivor)).toBeUndefined();
  });

  it.each([
    ['with the id of the merged contact', true, ({ id }: Contact) => ({ contact_id: id })],
    ['from an alias of the survivor', true, ({ phone }: Contact) => ({ phone })],
    ['from the number that the survivor has got', false, ({ phone }: Contact) => ({ phone })],
  ])('STOP %s is from the restored contact', async (_name, both, senderOf) => {
    const { survivor, merged } = await mergeTwo(both);
    const stop = { ...senderOf(merged), channel: 'sms', body: 'STOP' };
    const { value } = await whileUnmerging(merged, () =>
      acme.call<{ message: { contact_id: string } }>('record_message', stop),
    );
    expect(value.message.contact_id).toBe(merged.id);
    expect(await smsOf(merged)).toBe('denied');
    expect(await smsOf(survivor)).toBeUndefined();
  });

  it('create_contact with an alias of the survivor changes the restored contact', async () => {
    const { survivor, merged } = await mergeTwo();
    const { phone } = merged;
    const given = { phone, consent: { sms: 'denied' }, on_conflict: 'update' };
    const { value } = await whileUnmerging(merged, () =>
      acme.call<ContactResult>('create_contact', given),
    );
    expect(value.contact.id).toBe(merged.id);
    expect(await smsOf(survivor)).toBeUndefined();
  });

  it('an imported row with an alias of the survivor changes the restored contact', async () => {
    const { survivor, merged } = await mergeTwo();
    const tenants = switchboard.app.get(TenantDatabase);
    const batches = switchboard.app.get(ContactBatchesService);
    const row = { phone: merged.phone, consent: { sms: 'denied' } } as const;
    const outcomes = await whileUnmerging(merged, () =>
      tenants.transaction(acme.id, () =>
        batches.write(acme.id, [row], {
          matchBy: 'phone',
          onExisting: 'update',
          source: 'import',
          emitsEvents: true,
          isDryRun: false,
        }),
      ),
    );
    expect(outcomes).toEqual(['updated']);
    expect(await smsOf(merged)).toBe('denied');
    expect(await smsOf(survivor)).toBeUndefined();
  });

  it('a contact that is merged into the merged contact is merged into the restored contact', async () => {
    const { merged } = await mergeTwo();
    const other = await createContact(acme);
    const { value } = await whileUnmerging(merged, () => merge(acme, merged.id, other.id));
    expect(value.contact.id).toBe(merged.id);
    expect((await find(acme, other.id)).id).toBe(merged.id);
  });
});

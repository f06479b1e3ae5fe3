import { beforeAll, describe, expect, it } from 'vitest';
import { createContact as createMerged, merge, unmerge } from '../contacts/merged-contacts.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createContact, send, storedBody } from './support.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  for (const name of ['news', 'offers']) {
    await acme.call('create_topic', { name, title: name, default: 'opted_in' });
  }
});

interface Moved {
  /** The contact to which the message with the links was sent. */
  readonly contactId: string;
  /** The contact that has the address of the message now. */
  readonly holderId: string;
  readonly messageId: string;
  readonly links: string[];
}

/** Sends a message with links to the contact, and then moves its address to the contact that `move` returns. */
async function moveAddress(contactId: string, move: () => Promise<string>): Promise<Moved> {
  const body = '{{ unsubscribe_url }} {{ preferences_url }}';
  const given = { contact_id: contactId, topic: 'news', body, variables: {} };
  const { id: messageId } = await send(acme, given);
  const links = (await storedBody(switchboard, messageId)).split(' ');
  return { contactId, holderId: await move(), messageId, links };
}

/** Gives the address to another contact, as its own address or as an alias. */
async function moveByUpdate(asAlias: boolean): Promise<Moved> {
  const { id, email } = await createContact(acme);
  return await moveAddress(id, async () => {
    const update = { contact_id: id, email: `new.${email}` };
    expect((await acme.call('update_contact', update)).error).toBeUndefined();
    const holder = await createContact(acme, asAlias ? {} : { email });
    if (asAlias) {
      const alias = { contact_id: holder.id, email };
      expect((await acme.call('add_contact_alias', alias)).error).toBeUndefined();
    }
    return holder.id;
  });
}

/** Sends the message while the contact with the address is merged into another contact. */
async function moveByUnmerge(): Promise<Moved> {
  const survivor = await createMerged(acme, { email: null, external_id: `ext-${Date.now()}` });
  const merged = await createMerged(acme);
  expect((await merge(acme, survivor.id, merged.id)).error).toBeUndefined();
  return await moveAddress(survivor.id, async () => {
    expect((await unmerge(acme, merged.id)).error).toBeUndefined();
    return merged.id;
  });
}

async function statesOf(contact_id: string): Promise<Record<string, string>> {
  const { value } = await acme.call<{ subscriptions: { topic: string; state: string }[] }>(
    'list_topic_subscriptions',
    { contact_id },
  );
  return Object.fromEntries(value.subscriptions.map(({ topic, state }) => [topic, state]));
}

describe.each<[string, () => Promise<Moved>]>([
  ['that another contact has now', () => moveByUpdate(false)],
  ['that another contact has now as an alias', () => moveByUpdate(true)],
  ['that a merged contact has again', moveByUnmerge],
])('in a message to an address %s', (_, move) => {
  it('the link to unsubscribe lets both contacts leave the topic', async () => {
    const { contactId, holderId, messageId, links } = await move();
    const response = await fetch(links[0]!, { method: 'POST', body: new URLSearchParams() });
    expect(response.status).toBe(200);
    for (const id of [contactId, holderId]) {
      expect(await statesOf(id)).toEqual({ news: 'unsubscribed', offers: 'subscribed' });
      const { value } = await acme.call<{ changes: object[] }>('list_consent_changes', {
        contact_id: id,
      });
      expect(value.changes[0]).toMatchObject({
        source: 'unsubscribe_link',
        evidence: { message_id: messageId },
      });
    }
  });

  it('the page of preferences lets both contacts leave topics, and subscribes no other contact', async () => {
    const { contactId, holderId, links } = await move();
    for (const id of [contactId, holderId]) {
      const left = { contact_id: id, topic: 'offers', subscribed: false };
      expect((await acme.call('set_topic_subscription', left)).error).toBeUndefined();
    }
    const body = new URLSearchParams('shown=news&shown=offers&topic=offers');
    expect((await fetch(links[1]!, { method: 'POST', body })).status).toBe(200);
    expect(await statesOf(contactId)).toEqual({ news: 'unsubscribed', offers: 'subscribed' });
    expect(await statesOf(holderId)).toEqual({ news: 'unsubscribed', offers: 'unsubscribed' });
  });
});

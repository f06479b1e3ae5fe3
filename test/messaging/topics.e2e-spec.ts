import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import { merge } from '../contacts/merged-contacts.js';
import {
  createContact,
  getMessage,
  readEml,
  send,
  storedBody,
  type TestMessage,
} from './support.js';

interface Subscription {
  topic: string;
  state: string;
  source: string | null;
}

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  await acme.call('create_topic', { name: 'news', title: 'News', default: 'opted_in' });
  await acme.call('create_topic', { name: 'offers', title: 'Offers' });
});

const decide = (contact_id: string, topic: string, subscribed: boolean, by = acme) =>
  by.call<{ state: string; changed: boolean }>('set_topic_subscription', {
    contact_id,
    topic,
    subscribed,
  });
const statesOf = async (contact_id: string): Promise<Record<string, string>> => {
  const { value } = await acme.call<{ subscriptions: Subscription[] }>('list_topic_subscriptions', {
    contact_id,
  });
  return Object.fromEntries(value.subscriptions.map(({ topic, state }) => [topic, state]));
};
/** Sends a message and waits until a worker has sent or ended it. */
const sendTo = async (contactId: string, topic?: string): Promise<TestMessage> => {
  const { id } = await send(acme, { contact_id: contactId, ...(topic && { topic }) });
  return await untilEnded(id);
};
const untilEnded = (id: string) =>
  waitFor(async () => {
    const message = await getMessage(acme, id);
    return ['sent', 'suppressed', 'canceled'].includes(message.status) ? message : undefined;
  });
const later = () => new Date(Date.now() + 3_600_000).toISOString();

describe('a topic', () => {
  it('decides by its default when the contact has not decided', async () => {
    const { id } = await createContact(acme);
    expect((await sendTo(id, 'news')).status).toBe('sent');
    expect(await sendTo(id, 'offers')).toMatchObject({
      status: 'suppressed',
      reason_code: 'unsubscribed',
      topic: 'offers',
      sent_at: null,
    });
    expect(await statesOf(id)).toMatchObject({ news: 'subscribed', offers: 'unsubscribed' });
  });

  it('sends nothing to a contact that left the topic, who still gets transactional messages', async () => {
    const { id } = await createContact(acme);
    expect((await decide(id, 'news', false)).value).toEqual({
      state: 'unsubscribed',
      changed: true,
    });
    expect((await sendTo(id, 'news')).status).toBe('suppressed');
    expect((await sendTo(id)).status).toBe('sent');
    await decide(id, 'offers', true);
    expect((await sendTo(id, 'offers')).status).toBe('sent');
    expect((await decide(id, 'offers', true)).value.changed).toBe(false);
  });

  it('obeys a decision that the contact made between the call and the claim', async () => {
    const { id } = await createContact(acme);
    const message = await send(acme, { contact_id: id, topic: 'news', scheduled_at: later() });
    await decide(id, 'news', false);
    await switchboard.ownerQuery('update messages set due_at = now() where id = $1', [message.id]);
    expect((await untilEnded(message.id)).reason_code).toBe('unsubscribed');
  });

  it('sends nothing to a suppressed address, whatever the contact decided', async () => {
    const { id, email } = await createContact(acme);
    await decide(id, 'news', true);
    await acme.call('suppress_address', { address: email });
    expect((await sendTo(id, 'news')).reason_code).toBe('suppressed');
    expect((await sendTo(id)).reason_code).toBe('suppressed');
  });

  itSlow(
    'sends nothing after it is deleted, and keeps the decisions when it is created again',
    async () => {
      const given = { name: 'gone', title: 'Gone', default: 'opted_in' };
      await acme.call('create_topic', given);
      const { id } = await createContact(acme);
      const waiting = await send(acme, { contact_id: id, topic: 'gone', scheduled_at: later() });
      await acme.call('delete_topic', { name: 'gone' });
      await switchboard.ownerQuery('update messages set due_at = now() where id = $1', [
        waiting.id,
      ]);
      expect(await untilEnded(waiting.id)).toMatchObject({
        reason_code: 'unsubscribed',
        status_reason: expect.stringContaining('deleted') as string,
      });
      const unknown = { contact_id: id, topic: 'gone', subject: 'Hello', body: 'Hello' };
      expect((await acme.call('send_message', unknown)).error?.code).toBe('not_found');
      await acme.call('create_topic', given);
      await decide(id, 'gone', false);
      await acme.call('delete_topic', { name: 'gone' });
      await acme.call('create_topic', given);
      expect(await statesOf(id)).toMatchObject({ gone: 'unsubscribed' });
    },
  );

  it('keeps the stricter decision of two merged contacts, also when the merge is undone', async () => {
    const one = await createContact(acme);
    const other = await createContact(acme);
    await decide(one.id, 'news', true);
    await decide(other.id, 'news', false);
    await decide(other.id, 'offers', true);
    await merge(acme, one.id, other.id);
    expect(await statesOf(one.id)).toMatchObject({ news: 'unsubscribed', offers: 'subscribed' });
    expect(await statesOf(other.id)).toMatchObject({ news: 'unsubscribed' });
    await decide(one.id, 'offers', false);
    await acme.call('unmerge_contacts', { merged_id: other.id });
    expect(await statesOf(other.id)).toMatchObject({
      news: 'unsubscribed',
      offers: 'unsubscribed',
    });
    expect(await statesOf(one.id)).toMatchObject({ news: 'unsubscribed', offers: 'unsubscribed' });
  });

  it('is left by both contacts when one of them leaves it while they are merged', async () => {
    const one = await createContact(acme);
    const other = await createContact(acme);
    await acme.call('create_topic', { name: 'tips', title: 'Tips', default: 'opted_in' });
    await decide(one.id, 'tips', false);
    await merge(acme, one.id, other.id);
    // A link in an e-mail to the merged contact leads to the survivor.
    await decide(other.id, 'news', false);
    // This decision is not stored, because the survivor had made it before the merge.
    expect((await decide(other.id, 'tips', false)).value.changed).toBe(false);
    await acme.call('unmerge_contacts', { merged_id: other.id });
    expect(await statesOf(one.id)).toMatchObject({ news: 'unsubscribed', tips: 'unsubscribed' });
    expect(await statesOf(other.id)).toMatchObject({ news: 'unsubscribed', tips: 'unsubscribed' });
    await acme.call('delete_topic', { name: 'tips' });
  });

  it('belongs to its organization', async () => {
    const beta = await createOrganization(switchboard);
    const { id } = await createContact(beta);
    expect((await decide(id, 'news', true, beta)).error?.code).toBe('not_found');
    const { id: ours } = await createContact(acme);
    await beta.call('create_topic', { name: 'news', title: 'Other news' });
    expect((await decide(ours, 'news', false, beta)).error?.code).toBe('not_found');
    expect(await statesOf(ours)).toMatchObject({ news: 'subscribed' });
  });

  it.each([
    { name: 'News', title: 'News' },
    { name: 'a b', title: 'News' },
    { name: '', title: 'News' },
    { name: 'a.b', title: 'News' },
    { name: 'lines', title: 'News\r\nBcc: a@example.com' },
    { name: 'turned', title: 'News \u202e' },
    { name: 'both', title: 'News', default: 'opted_in', double_opt_in: true },
  ])('cannot be %j', async (given) => {
    expect((await acme.call('create_topic', given)).error?.code).toBe('invalid_arguments');
  });

  it('has a unique name that never changes', async () => {
    const again = await acme.call('create_topic', { name: 'news', title: 'News' });
    expect(again.error?.code).toBe('conflict');
    const changed = await acme.call<{ topic: object }>('update_topic', {
      name: 'offers',
      title: 'Special offers',
      double_opt_in: true,
    });
    expect(changed.value.topic).toMatchObject({ title: 'Special offers', default: 'opted_out' });
    const refused = await acme.call('update_topic', { name: 'offers', default: 'opted_in' });
    expect(refused.error?.code).toBe('invalid_arguments');
    await acme.call('update_topic', { name: 'offers', title: 'Offers', double_opt_in: false });
  });
});

describe('an e-mail of a topic', () => {
  it('has the headers of RFC 8058, and variables for the links in its text', async () => {
    const { id } = await createContact(acme);
    const body = '{{ unsubscribe_url }}\n{{ preferences_url }}';
    const variables = { unsubscribe_url: 'https://example.org' };
    const message = await send(acme, { contact_id: id, topic: 'news', body, variables });
    const stored = await storedBody(switchboard, message.id);
    const [unsubscribe, preferences] = stored.split('\n');
    expect(unsubscribe).toMatch(new RegExp(`^${switchboard.url}/u/${acme.id}\\.${id}\\.`));
    expect(preferences).toMatch(new RegExp(`^${switchboard.url}/preferences/`));
    await untilEnded(message.id);
    const eml = await readEml(switchboard, message.id);
    expect(eml.headers.get('list-unsubscribe')).toBe(`<${unsubscribe}>`);
    expect(eml.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  });

  it('has List headers, which a transactional e-mail does not have', async () => {
    const { id } = await createContact(acme);
    const body = '[{{ unsubscribe_url }}]';
    const message = await send(acme, { contact_id: id, body, variables: {} });
    expect(message.body).toBe('[]');
    await untilEnded(message.id);
    const eml = await readEml(switchboard, message.id);
    expect([...eml.headers.keys()].filter((name) => name.startsWith('list-'))).toEqual([]);
  });
});

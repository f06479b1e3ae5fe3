import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createContact, getMessage, send, untilStatus } from './support.js';

describe('a waiting message whose address has moved to another contact', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
    for (const name of ['news', 'other']) {
      await acme.call('create_topic', { name, title: name, default: 'opted_in' });
    }
  });

  /**
   * Stores a message for later, gives its address to another contact, which leaves the topic news, and then lets the
   * message become due.
   */
  async function moveAddress(consent: object, asAlias = false, topic?: string) {
    const { id: contactId, email } = await createContact(acme);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const given = { contact_id: contactId, scheduled_at: later, ...(topic && { topic }) };
    const { id } = await send(acme, given);
    const update = { contact_id: contactId, email: `new.${email}` };
    expect((await acme.call('update_contact', update)).error).toBeUndefined();
    const holder = await createContact(acme, asAlias ? { consent } : { email, consent });
    if (asAlias) {
      const alias = { contact_id: holder.id, email };
      expect((await acme.call('add_contact_alias', alias)).error).toBeUndefined();
    }
    const left = { contact_id: holder.id, topic: 'news', subscribed: false };
    expect((await acme.call('set_topic_subscription', left)).error).toBeUndefined();
    await switchboard.ownerQuery(
      `update messages set due_at = now(), scheduled_at = now() where id = $1`,
      [id],
    );
    return id;
  }

  it.each([
    ['has', false],
    ['has as an alias', true],
  ])(
    'is not sent when the contact that %s the address has denied consent',
    async (_name, asAlias) => {
      const id = await moveAddress({ email: 'denied' }, asAlias);
      await untilStatus(acme, id, 'canceled');
      expect(await getMessage(acme, id)).toMatchObject({ reason_code: 'consent_denied' });
    },
  );

  it.each([
    ['has', false],
    ['has as an alias', true],
  ])(
    'is not sent when the contact that %s the address has left the topic',
    async (_name, asAlias) => {
      const id = await moveAddress({}, asAlias, 'news');
      await untilStatus(acme, id, 'suppressed');
      expect(await getMessage(acme, id)).toMatchObject({ reason_code: 'unsubscribed' });
    },
  );

  it.each([undefined, 'other'])(
    'is sent when that contact has neither denied consent nor left its topic: %s',
    async (topic) => {
      await untilStatus(acme, await moveAddress({ email: 'granted' }, false, topic), 'sent');
    },
  );
});

import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { merge } from '../contacts/merged-contacts.js';
import { createContact, getMessage, send, untilStatus } from './support.js';

interface Suppression {
  channel: string;
  address: string;
  reason: string;
  message_id: string | null;
}

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

const list = async (by = acme): Promise<Suppression[]> =>
  (await by.call<{ suppressions: Suppression[] }>('list_suppressions')).value.suppressions;
const later = () => new Date(Date.now() + 3_600_000).toISOString();
/** Waits until a worker has sent or ended the message. */
const untilEnded = (messageId: string, by = acme) =>
  waitFor(async () => {
    const message = await getMessage(by, messageId);
    return ['sent', 'suppressed'].includes(message.status) ? message : undefined;
  });
const sendTo = async (contactId: string) =>
  await untilEnded((await send(acme, { contact_id: contactId })).id);

describe('a suppressed address', () => {
  it.each([
    { given: { outcome: 'bounced' }, reason: 'bounce', status: 'failed' },
    { given: { outcome: 'bounced', bounce_type: 'hard' }, reason: 'bounce', status: 'failed' },
    { given: { outcome: 'complained' }, reason: 'complaint', status: 'delivered' },
  ])('is stored when a provider reports $given', async ({ given, reason, status }) => {
    const { id, email } = await createContact(acme, { consent: { email: 'granted' } });
    const first = await sendTo(id);
    const report = { message_id: first.id, ...given };
    const { value } = await acme.call<{ message: { status: string } }>('report_delivery', report);
    expect(value.message.status).toBe(status);
    expect(await list()).toContainEqual(
      expect.objectContaining({ channel: 'email', address: email, reason, message_id: first.id }),
    );
    const second = await sendTo(id);
    expect(second).toMatchObject({
      status: 'suppressed',
      status_reason: expect.stringContaining('suppressed') as string,
      sent_at: null,
    });
    // A report that comes twice changes nothing.
    await acme.call('report_delivery', report);
    expect((await list()).filter(({ address }) => address === email)).toHaveLength(1);
    await acme.call('remove_suppression', { address: email });
    expect((await sendTo(id)).status).toBe('sent');
  });

  it.each(['delivered', 'failed', 'soft'])('is not stored after %s', async (outcome) => {
    const { id, email } = await createContact(acme);
    const { id: message_id } = await sendTo(id);
    const bounce = { outcome: 'bounced', bounce_type: 'soft' };
    await acme.call('report_delivery', {
      message_id,
      ...(outcome === 'soft' ? bounce : { outcome }),
    });
    expect((await list()).map(({ address }) => address)).not.toContain(email);
  });

  it('gets no message, even a message that was accepted before the address was suppressed', async () => {
    const { id, email } = await createContact(acme);
    const { id: messageId } = await send(acme, { contact_id: id, scheduled_at: later() });
    await acme.call('suppress_address', { address: email.toUpperCase() });
    await switchboard.ownerQuery('update messages set due_at = now() where id = $1', [messageId]);
    expect((await untilStatus(acme, messageId, 'suppressed')).sent_at).toBeNull();
    const { value } = await acme.call<{ messages: { id: string }[] }>('list_messages', {
      status: 'undelivered',
      contact_id: id,
    });
    expect(value.messages.map((message) => message.id)).toEqual([messageId]);
    expect((await acme.call('cancel_message', { message_id: messageId })).error?.code).toBe(
      'conflict',
    );
  });

  it('stays suppressed when its contact is merged into another contact that has no address', async () => {
    const { id: other, email } = await createContact(acme);
    await acme.call('suppress_address', { address: email });
    const { value } = await acme.call<{ contact: { id: string } }>('create_contact', {
      external_id: 'suppressed',
    });
    await merge(acme, value.contact.id, other);
    expect((await sendTo(value.contact.id)).status).toBe('suppressed');
  });

  it('is compared in the form in which contacts store it', async () => {
    await acme.call('suppress_address', { address: 'Jane@xn--mnchen-3ya.example' });
    await acme.call('suppress_address', { channel: 'sms', address: '+49 30 123456' });
    const { id } = await createContact(acme, { email: 'jane@münchen.example' });
    expect((await sendTo(id)).status).toBe('suppressed');
    expect(await list()).toContainEqual(
      expect.objectContaining({ channel: 'sms', address: '+4930123456', reason: 'manual' }),
    );
    const removed = { channel: 'sms', address: '+4930123456' };
    expect((await acme.call('remove_suppression', removed)).error).toBeUndefined();
    expect((await acme.call('remove_suppression', removed)).error?.code).toBe('not_found');
  });

  it('belongs to its organization only', async () => {
    const beta = await createOrganization(switchboard);
    await acme.call('suppress_address', { address: 'both@example.com' });
    expect(await list(beta)).toEqual([]);
    const { id } = await createContact(beta, { email: 'both@example.com' });
    const { id: messageId } = await send(beta, { contact_id: id });
    expect((await untilEnded(messageId, beta)).status).toBe('sent');
    const { error } = await beta.call('remove_suppression', { address: 'both@example.com' });
    expect(error?.code).toBe('not_found');
    expect((await getMessage(beta, messageId)).status).toBe('sent');
  });

  it('is listed in pages, newest first', async () => {
    const beta = await createOrganization(switchboard);
    for (const name of ['a', 'b', 'c']) {
      await beta.call('suppress_address', { address: `${name}@example.com` });
    }
    const page = (cursor?: string | null) =>
      beta.call<{ suppressions: Suppression[]; next_cursor: string | null }>('list_suppressions', {
        limit: 2,
        cursor,
      });
    const first = (await page()).value;
    const second = (await page(first.next_cursor)).value;
    expect(
      [...first.suppressions, ...second.suppressions].map(({ address }) => address[0]),
    ).toEqual(['c', 'b', 'a']);
    expect(second.next_cursor).toBeNull();
  });

  it.each([
    { address: 'no address' },
    { address: 'a@example.com\r\nBcc: b@example.com' },
    { address: 'a@example.com, b@example.com' },
    { channel: 'sms', address: '12' },
    { channel: 'webhook', address: 'x' },
    { address: '' },
  ])('cannot be %j', async (given) => {
    expect((await acme.call('suppress_address', given)).error?.code).toBe('invalid_arguments');
  });
});

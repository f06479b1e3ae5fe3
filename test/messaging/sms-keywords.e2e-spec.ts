import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createContact } from './support.js';

interface Change {
  name: string;
  to: string;
  source: string;
  evidence: Record<string, string> | null;
}

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
let number = 0;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  await acme.call('create_channel_provider', {
    channel: 'sms',
    name: 'Test',
    kind: 'twilio',
    settings: { account_sid: 'AC0123456789', from: '+15005550006' },
    secret: 'a-value',
  });
});

const person = async (fields: object = {}) => {
  number += 1;
  return await createContact(acme, { phone: `+4930123${1000 + number}`, ...fields });
};
const receive = async (contact_id: string, body: string, more: object = {}) => {
  const { value, error } = await acme.call<{ message: { id: string } }>('record_message', {
    contact_id,
    channel: 'sms',
    body,
    ...more,
  });
  if (error) throw new Error(error.message);
  return value.message.id;
};
const changesOf = async (contact_id: string): Promise<Change[]> =>
  (await acme.call<{ changes: Change[] }>('list_consent_changes', { contact_id })).value.changes;
/** Calls `send_message` for an SMS that is scheduled in an hour, so that no worker sends it during the test. */
const trySms = async (contact_id: string) =>
  await acme.call('send_message', {
    contact_id,
    channel: 'sms',
    body: 'Hello',
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
const outboundOf = async (contact_id: string) =>
  (
    await acme.call<{ messages: { body: string; direction: string; channel: string }[] }>(
      'list_messages',
      { contact_id },
    )
  ).value.messages.filter(({ direction }) => direction === 'outbound');

describe('a text message that is a keyword', () => {
  it('ends and begins consent to SMS, with the message as evidence', async () => {
    const { id } = await person();
    expect((await trySms(id)).error).toBeUndefined();
    const stop = await receive(id, ' Stop! ');
    expect((await trySms(id)).error?.code).toBe('no_consent');
    expect(await changesOf(id)).toEqual([
      expect.objectContaining({
        name: 'sms',
        to: 'denied',
        source: 'sms_stop',
        evidence: { text: ' Stop! ', message_id: stop },
      }),
    ]);
    await receive(id, 'START');
    expect((await trySms(id)).error).toBeUndefined();
    expect((await changesOf(id)).map(({ source }) => source)).toEqual(['sms_start', 'sms_stop']);
  });

  it('ends consent also when the quota of messages is used up', async () => {
    const shop = await createOrganization(switchboard);
    const { id } = await createContact(shop, { phone: '+493099900001' });
    await switchboard.ownerQuery(
      `insert into private.quota_exceptions (organization_id, name, amount) values ($1, 'messages', 0)
       on conflict (organization_id, name) do update set amount = 0`,
      [shop.id],
    );
    const record = (body: string) =>
      shop.call('record_message', { contact_id: id, channel: 'sms', body });
    expect((await record('A question. '.repeat(20))).error?.code).toBe('rate_limited');
    expect((await record('Stop')).error).toBeUndefined();
    const { value: found } = await shop.call<{ contact: { consent: object } }>('get_contact', {
      contact_id: id,
    });
    expect(found.contact.consent).toMatchObject({ sms: { status: 'denied' } });
  });

  it('grants no consent by START from the number of a merged contact, but denies consent by STOP', async () => {
    const survivor = await person({ consent: { sms: 'denied' } });
    const alias = `+4930124${1000 + number}`;
    const merged = await person({ phone: alias });
    await acme.call('merge_contacts', { contact_id: survivor.id, other_id: merged.id });
    const from = async (key: object, body: string) => {
      const given = { ...key, channel: 'sms', body };
      const { error } = await acme.call('record_message', given);
      expect(error).toBeUndefined();
    };
    await from({ phone: alias }, 'START');
    await from({ contact_id: merged.id }, 'START');
    expect((await trySms(survivor.id)).error?.code).toBe('no_consent');
    const { value } = await acme.call<{ contact: { phone: string } }>('get_contact', {
      contact_id: survivor.id,
    });
    await from({ phone: value.contact.phone }, 'START');
    expect((await trySms(survivor.id)).error).toBeUndefined();
    await from({ phone: alias }, 'STOP');
    expect((await trySms(survivor.id)).error?.code).toBe('no_consent');
  });

  it('grants no consent by START when an e-mail address names the sender', async () => {
    const { id, email } = await person({ consent: { sms: 'denied' } });
    const start = { email, channel: 'sms', body: 'START' };
    expect((await acme.call('record_message', start)).error).toBeUndefined();
    expect((await trySms(id)).error?.code).toBe('no_consent');
  });

  it('counts once, even if the provider reports it several times', async () => {
    const { id } = await person();
    await receive(id, 'STOP', { external_id: `stop-${id}` });
    await acme.call('update_contact', { contact_id: id, consent: { sms: 'granted' } });
    await receive(id, 'STOP', { external_id: `stop-${id}` });
    expect((await changesOf(id)).map(({ to }) => to)).toEqual(['granted', 'denied']);
    // The evidence of an earlier change belongs to that change only.
    expect((await changesOf(id))[0]!.evidence).toBeNull();
  });

  it.each([
    ['sms', 'Please stop by tomorrow'],
    ['sms', 'YES'],
    ['email', 'STOP'],
  ])(
    'is not recognized within a longer text, as an unknown word, or on a channel other than SMS: %s %s',
    async (channel, body) => {
      const { id } = await person();
      await receive(id, body, { channel });
      expect(await changesOf(id)).toEqual([]);
    },
  );

  it('is answered with the text of the organization when the message asks for help', async () => {
    const { id } = await person();
    await receive(id, 'HELP');
    expect(await outboundOf(id)).toEqual([]);
    const sms_help = 'Acme: write to help@example.com. Reply STOP to end these messages.';
    expect((await acme.call('set_contact_settings', { sms_help })).error).toBeUndefined();
    await receive(id, 'help');
    expect(await outboundOf(id)).toEqual([
      expect.objectContaining({ body: sms_help, channel: 'sms' }),
    ]);
    // A message is recorded even if no answer may be sent to its contact.
    const { id: denied } = await person({ consent: { sms: 'denied' } });
    await receive(denied, 'HELP');
    expect(await outboundOf(denied)).toEqual([]);
    const settings = await acme.call<{ settings: object }>('set_contact_settings', {
      region: 'DE',
    });
    expect(settings.value.settings).toMatchObject({ region: 'DE', sms_help });
    await acme.call('set_contact_settings', { sms_help: null });
    const { error } = await acme.call('set_contact_settings', { sms_help: 'Help' });
    expect(error?.code).toBe('invalid_arguments');
  });
});

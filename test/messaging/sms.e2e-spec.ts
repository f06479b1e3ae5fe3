import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../support/global-setup.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow, sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import {
  ACCOUNT_SID,
  API_KEY,
  API_SECRET,
  AUTH_TOKEN,
  type ProviderServer,
  startTwilio,
  startVonage,
  vonageAnswer,
} from './provider-server.js';
import { createContact, getMessage, untilStatus } from './support.js';

interface SmsMessage {
  id: string;
  status: string;
  status_reason: string | null;
  reason_code: string | null;
  provider_id: string | null;
  provider_message_id: string | null;
  to: string;
}

describe('SMS', () => {
  let switchboard: Switchboard;
  let twilio: ProviderServer;
  let vonage: ProviderServer;
  let closedPort: number;
  let acme: TestOrganization;
  let contactId: string;
  beforeAll(async () => {
    [twilio, vonage, closedPort] = await Promise.all([startTwilio(), startVonage(), freePort()]);
    const allowed = [twilio.port, vonage.port, closedPort].map((port) => `127.0.0.1:${port}`);
    switchboard = await startSwitchboard({ env: { OUTBOUND_ALLOW: allowed.join(',') } });
  });
  afterAll(async () => {
    await switchboard.close();
    await Promise.all([twilio.close(), vonage.close()]);
  });
  beforeEach(async () => {
    acme = await createOrganization(switchboard);
    contactId = (await createContact(acme, { phone: '+493012345678' })).id;
  });

  const addProvider = async (given: object): Promise<string> => {
    const { value, error } = await acme.call<{ provider: { id: string } }>(
      'create_channel_provider',
      { channel: 'sms', ...given },
    );
    if (error) throw new Error(JSON.stringify(error));
    return value.provider.id;
  };
  const addTwilio = (given: object = {}, settings: object = {}) =>
    addProvider({
      kind: 'twilio',
      settings: {
        account_sid: ACCOUNT_SID,
        from: '+15005550006',
        base_url: twilio.url,
        ...settings,
      },
      secret: AUTH_TOKEN,
      ...given,
    });
  const addVonage = (given: object = {}) =>
    addProvider({
      kind: 'vonage',
      settings: { api_key: API_KEY, from: 'Acme', base_url: vonage.url },
      secret: API_SECRET,
      ...given,
    });
  const sendSms = async (given: object = {}): Promise<SmsMessage> => {
    const { value, error } = await acme.call<{ message: SmsMessage }>('send_message', {
      contact_id: contactId,
      channel: 'sms',
      body: 'Your code is 1234.',
      ...given,
    });
    if (error) throw new Error(JSON.stringify(error));
    return value.message;
  };
  const until = async (id: string, status: string) =>
    (await untilStatus(acme, id, status)) as unknown as SmsMessage;
  const untilReason = (id: string) =>
    waitFor(async () => {
      const message = (await getMessage(acme, id)) as unknown as SmsMessage;
      return message.status_reason === null ? undefined : message;
    });

  it('is handed to Twilio with the sender, the recipient and the text', async () => {
    const provider = await addTwilio({}, { status_callback: 'https://acme.example.com/status' });
    const { id } = await sendSms();
    const sent = await until(id, 'sent');
    const found = twilio.accepted.find((one) => one.id === sent.provider_message_id);
    expect(found).toMatchObject({ to: '+493012345678', text: 'Your code is 1234.' });
    expect(found!.form.get('From')).toBe('+15005550006');
    expect(found!.form.get('StatusCallback')).toBe(
      `https://acme.example.com/status?message_id=${id}`,
    );
    expect(sent).toMatchObject({ provider_id: provider, status_reason: null, reason_code: null });
  });

  it.each([
    ['a NUL', 'a\u0000b'],
    ['12,000 characters', 'x'.repeat(12_000)],
  ])(
    'is sent once when the id of the provider has %s, and this id is not stored',
    async (_what, sid) => {
      await addTwilio();
      const before = twilio.requests.length;
      twilio.script({ status: 201, body: { sid } });
      const { id } = await sendSms();
      expect(await until(id, 'sent')).toMatchObject({ provider_message_id: null });
      expect(twilio.requests.length - before).toBe(1);
    },
  );

  it('is handed to Vonage, as Unicode where the text needs it', async () => {
    await addVonage();
    const { id } = await sendSms({ body: 'Grüße 🎉' });
    const sent = await until(id, 'sent');
    const found = vonage.accepted.find((one) => one.id === sent.provider_message_id)!;
    expect(found).toMatchObject({ to: '493012345678', text: 'Grüße 🎉' });
    expect(found.form.get('type')).toBe('unicode');
    expect(found.form.get('client-ref')).toBe(id);
  });

  it.each(
    sample(
      [
        [{ body: 'x'.repeat(1601) }, 'body must have at most 1600 characters for sms.'],
        [{ subject: 'Hello' }, 'Subject must be absent, because sms has no subject.'],
        [{ channel: 'fax' }, 'Channel must be one of email, sms, webhook.'],
      ],
      3,
    ),
  )('is refused immediately when it cannot be sent: %#', async (given, message) => {
    await addTwilio();
    const { error } = await acme.call('send_message', {
      contact_id: contactId,
      channel: 'sms',
      body: 'Hello',
      ...given,
    });
    expect(error).toMatchObject({ code: 'invalid_arguments' });
    expect(error!.message.toLowerCase()).toBe(message.toLowerCase());
  });

  it('is refused without a provider, without a phone number, and without consent', async () => {
    const send = (contact: string) =>
      acme.call('send_message', { contact_id: contact, channel: 'sms', body: 'Hello' });
    expect((await send(contactId)).error?.code).toBe('conflict');
    await addTwilio();
    const { id: withoutPhone } = await createContact(acme);
    expect((await send(withoutPhone)).error?.message).toContain('no phone number');
    const denied = await createContact(acme, {
      phone: '+493012345679',
      consent: { sms: 'denied' },
    });
    expect((await send(denied.id)).error?.code).toBe('no_consent');
  });

  it('fails without a further attempt when the provider refuses it, and no other provider gets it', async () => {
    await addTwilio();
    await addVonage();
    twilio.script({
      status: 400,
      body: { code: 21610, message: 'Attempt to send to unsubscribed' },
    });
    const before = vonage.requests.length;
    const { id } = await sendSms();
    expect(await until(id, 'failed')).toMatchObject({
      status_reason: 'The provider answered 400: Attempt to send to unsubscribed',
      reason_code: 'provider_refused',
    });
    expect(vonage.requests).toHaveLength(before);
  });

  it('has no secret of its provider in the reason, also if the provider repeats the secret', async () => {
    const long = 'x'.repeat(490);
    const pair = Buffer.from(`${ACCOUNT_SID}:${AUTH_TOKEN}`).toString('base64');
    const ofTwilio = await addTwilio();
    twilio.script({ status: 400, body: { message: `${long} ${AUTH_TOKEN} ${pair}` } });
    const first = await until((await sendSms()).id, 'failed');
    expect(first.status_reason).toBe(
      `The provider answered 400: ${long} [secret of the provider] [secret of the provider]`,
    );
    await acme.call('delete_channel_provider', { provider_id: ofTwilio });
    await addVonage();
    const refusal = `${long} api_secret=${encodeURIComponent(API_SECRET)}`;
    vonage.script(vonageAnswer({ status: '4', 'error-text': refusal }));
    const second = await until((await sendSms()).id, 'failed');
    expect(second.status_reason).toBe(
      `The provider answered with the status 4: ${long} api_secret=[secret of the provider]`,
    );
  });

  it.each(
    sample(
      [
        ['429', { status: 429, headers: { 'Retry-After': '60' } }],
        ['503', { status: 503 }],
        ['500', { status: 500 }],
      ],
      3,
    ),
  )('goes to the next provider after a temporary failure: %s', async (_case, script) => {
    await addTwilio();
    const second = await addVonage();
    twilio.script(script);
    const { id } = await sendSms();
    expect(await until(id, 'sent')).toMatchObject({ provider_id: second });
  });

  it('goes to the next provider when the first one cannot be reached', async () => {
    await addTwilio({}, { base_url: `http://127.0.0.1:${closedPort}` });
    const second = await addVonage();
    const { id } = await sendSms();
    expect(await until(id, 'sent')).toMatchObject({ provider_id: second });
  });

  itSlow('tries the providers in the order of their priority', async () => {
    await addTwilio();
    const first = await addVonage();
    await acme.call('update_channel_provider', { provider_id: first, priority: 1 });
    const other = (
      await acme.call<{ providers: { id: string }[] }>('list_channel_providers', {})
    ).value.providers.find(({ id }) => id !== first)!;
    await acme.call('update_channel_provider', { provider_id: other.id, priority: 2 });
    const { id } = await sendSms();
    expect(await until(id, 'sent')).toMatchObject({ provider_id: first });
  });

  it('waits at least as long as the provider says', async () => {
    await addTwilio();
    twilio.script({ status: 429, headers: { 'Retry-After': '1800' }, body: { message: 'Busy' } });
    const { id } = await sendSms();
    expect(await untilReason(id)).toMatchObject({ status: 'queued', reason_code: 'rate_limited' });
    const [row] = await switchboard.ownerQuery<{ wait: number }>(
      'select extract(epoch from due_at - updated_at)::int as wait from messages where id = $1',
      [id],
    );
    expect(row!.wait).toBe(1800);
  });

  it.each(['accept and drop' as const, { status: 504 }])(
    'is uncertain when nobody knows whether the provider has it, and is not sent again: %j',
    async (script) => {
      await addTwilio();
      await addVonage();
      const [requests, others] = [twilio.requests.length, vonage.requests.length];
      twilio.script(script);
      const { id } = await sendSms();
      expect(await until(id, 'uncertain')).toMatchObject({ reason_code: 'connection_lost' });
      // A worker finds no message to claim, now or later.
      await switchboard.ownerQuery('update messages set due_at = now() where id = $1', [id]);
      await until((await sendSms()).id, 'sent');
      expect((await getMessage(acme, id)).status).toBe('uncertain');
      expect(twilio.requests).toHaveLength(requests + 2);
      expect(vonage.requests).toHaveLength(others);
    },
  );

  itSlow('is sent again after an unknown outcome if the caller chose this', async () => {
    await addTwilio();
    twilio.script('accept and drop');
    const { id } = await sendSms({ on_uncertain: 'resend' });
    expect(await untilReason(id)).toMatchObject({ status: 'queued' });
    await switchboard.ownerQuery('update messages set due_at = now() where id = $1', [id]);
    await until(id, 'sent');
  });

  itSlow('is uncertain when the provider accepted only some of its parts', async () => {
    await addVonage();
    vonage.script(vonageAnswer({ status: '0', 'message-id': 'p1' }, { status: '5' }));
    await until((await sendSms()).id, 'uncertain');
    vonage.script(vonageAnswer({ status: '1', 'error-text': 'Throttled' }));
    const throttled = await untilReason((await sendSms()).id);
    expect(throttled).toMatchObject({ status: 'queued', reason_code: 'rate_limited' });
  });

  describe('that is uncertain', () => {
    const uncertain = async (): Promise<string> => {
      await addTwilio();
      twilio.script('accept and drop');
      const { id } = await sendSms();
      await until(id, 'uncertain');
      return id;
    };
    const resolve = (id: string, outcome: string, reason?: string) =>
      acme.call<{ message: SmsMessage }>('resolve_message', { message_id: id, outcome, reason });

    it.each(sample(['sent', 'delivered', 'failed'], 3))(
      'is %s when a person decides this',
      async (outcome) => {
        const id = await uncertain();
        const { value } = await resolve(id, outcome, 'Seen in the console\u202e of Twilio');
        expect(value.message).toMatchObject({ status: outcome, reason_code: 'resolved' });
        expect(value.message.status_reason).toBe(
          'Resolved by dashboard: Seen in the console  of Twilio',
        );
        expect((await resolve(id, outcome)).error).toBeUndefined();
        expect((await resolve(id, 'resend')).error?.code).toBe('conflict');
      },
    );

    it('is sent again when a person decides this', async () => {
      const id = await uncertain();
      const before = twilio.accepted.length;
      await switchboard.ownerQuery('update messages set attempts = 6 where id = $1', [id]);
      expect((await resolve(id, 'resend')).value.message.status).toBe('queued');
      await until(id, 'sent');
      expect(twilio.accepted).toHaveLength(before + 1);
    });

    it.each(
      sample(
        [
          ['delivered', 'delivered'],
          ['failed', 'failed'],
        ],
        2,
      ),
    )('is %s when the provider reports it', async (outcome, status) => {
      const id = await uncertain();
      const { error } = await acme.call('report_delivery', { message_id: id, outcome });
      expect(error).toBeUndefined();
      expect((await getMessage(acme, id)).status).toBe(status);
    });
  });

  it('is found by the id from the provider when a report contains this id', async () => {
    await addTwilio();
    const { id } = await sendSms();
    const { provider_message_id: sid } = await until(id, 'sent');
    const report = (given: string) =>
      acme.call('report_delivery', { message_id: given, outcome: 'delivered' });
    expect((await report(sid!)).error).toBeUndefined();
    expect((await getMessage(acme, id)).status).toBe('delivered');
    expect((await report('SM_unknown')).error?.code).toBe('not_found');
    const globex = await createOrganization(switchboard);
    const foreign = { message_id: sid, outcome: 'failed' };
    expect((await globex.call('report_delivery', foreign)).error?.code).toBe('not_found');
  });

  itSlow('is delayed by the limit of its provider, at even intervals', async () => {
    await addTwilio({ per_second: 1 });
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1) ids.push((await sendSms()).id);
    await waitFor(async () => {
      const rows = await switchboard.ownerQuery<{ status: string }>(
        'select status from messages where id = any ($1) and (slot_at is not null or status = $2)',
        [ids, 'sent'],
      );
      return rows.length >= 3 ? rows : undefined;
    });
    for (const id of ids) await until(id, 'sent');
    const [row] = await switchboard.ownerQuery<{ seconds: number; attempts: number }>(
      `select extract(epoch from max(sent_at) - min(sent_at))::float as seconds, max(attempts) as attempts
       from messages where id = any ($1)`,
      [ids],
    );
    // Four messages have three pauses between them. A pause can only be longer.
    expect(row!.seconds).toBeGreaterThan(2);
    expect(row!.attempts).toBe(1);
  });
});

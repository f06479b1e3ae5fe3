import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ACCOUNT_SID,
  API_KEY,
  API_SECRET,
  AUTH_TOKEN,
  type ProviderServer,
  startTwilio,
  startVonage,
} from '../messaging/provider-server.js';
import { createContact, getMessage, type TestMessage, untilStatus } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { createWorkflow, postWebhook, runUntil } from '../workflows/support/workflow-client.js';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/providers.md'), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/```json\n([^]*?)```/g)].map(
  ([, text]) => JSON.parse(text!) as { name: string; trigger: object; steps: object[] },
);

type SentMessage = TestMessage & { provider_message_id: string };

let switchboard: Switchboard;
let twilio: ProviderServer;
let vonage: ProviderServer;
let acme: TestOrganization;
let beta: TestOrganization;
let hook: { id: string; url: string };
beforeAll(async () => {
  [twilio, vonage] = await Promise.all([startTwilio(), startVonage()]);
  const allowed = [twilio.port, vonage.port].map((port) => `127.0.0.1:${port}`);
  switchboard = await startSwitchboard({ env: { OUTBOUND_ALLOW: allowed.join(',') } });
  [acme, beta] = await Promise.all([
    createOrganization(switchboard),
    createOrganization(switchboard),
  ]);
  await addProvider(acme, 'twilio', AUTH_TOKEN, {
    account_sid: ACCOUNT_SID,
    from: '+15005550006',
    base_url: twilio.url,
  });
  await addProvider(beta, 'vonage', API_SECRET, {
    api_key: API_KEY,
    from: 'Acme',
    base_url: vonage.url,
  });
  hook = await save(acme, 'Status of Twilio', { secret: AUTH_TOKEN });
});
afterAll(async () => {
  await switchboard.close();
  await Promise.all([twilio.close(), vonage.close()]);
});

async function addProvider(by: TestOrganization, kind: string, secret: string, settings: object) {
  const given = { channel: 'sms', kind, settings, secret };
  const { error } = await by.call('create_channel_provider', given);
  if (error) throw new Error(error.message);
}

async function save(by: TestOrganization, name: string, more: object = {}) {
  const { steps, trigger, ...rest } = EXAMPLES.find((example) => example.name === name)!;
  const workflow = await createWorkflow(by, steps, { ...rest, trigger: { ...trigger, ...more } });
  return { id: workflow.id, url: workflow.webhook_url! };
}

let counter = 0;

async function sentSms(by: TestOrganization): Promise<SentMessage> {
  counter += 1;
  const contact = await createContact(by, { phone: `+4930${12_340_000 + counter}` });
  const { value, error } = await by.call<{ message: TestMessage }>('send_message', {
    contact_id: contact.id,
    channel: 'sms',
    body: 'Your code is 1234.',
  });
  if (error) throw new Error(error.message);
  return (await untilStatus(by, value.message.id, 'sent')) as SentMessage;
}

/** Sends a status callback as a form, as Twilio documents it. Signs the form unless a signature is given. */
async function twilioCalls(
  message: SentMessage,
  status: string,
  { signature, errorCode }: { signature?: string; errorCode?: string } = {},
) {
  const form = {
    AccountSid: ACCOUNT_SID,
    ApiVersion: '2010-04-01',
    From: '+15005550006',
    MessageSid: message.provider_message_id,
    MessageStatus: status,
    SmsSid: message.provider_message_id,
    SmsStatus: status,
    To: message.to,
    ...(errorCode !== undefined && { ErrorCode: errorCode }),
  };
  const signed = Object.entries(form)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .reduce((text, [name, value]) => text + name + value, hook.url);
  return await postWebhook(switchboard, hook.id, new URLSearchParams(form).toString(), {
    'Content-Type': 'application/x-www-form-urlencoded',
    'X-Twilio-Signature':
      signature ?? createHmac('sha1', AUTH_TOKEN).update(signed).digest('base64'),
  });
}

/** Waits until the run of a report has ended, and returns the status of the message. */
async function statusAfter(by: TestOrganization, runId: string, id: string): Promise<string> {
  await runUntil(by, runId, 'succeeded', 'failed');
  return (await getMessage(by, id)).status;
}

describe('status callbacks of Twilio', () => {
  it('set a message to delivered once, even if callbacks are repeated or late', async () => {
    const message = await sentSms(acme);
    const first = await twilioCalls(message, 'delivered');
    expect(await statusAfter(acme, first.body.runId, message.id)).toBe('delivered');
    for (const late of ['queued', 'sent']) {
      expect((await twilioCalls(message, late)).body).toEqual({ ok: true, skipped: true });
    }
    const again = await twilioCalls(message, 'delivered');
    expect(await statusAfter(acme, again.body.runId, message.id)).toBe('delivered');
    const events = await switchboard.ownerQuery(
      `select status from message_events where message_id = $1 and status = 'delivered'`,
      [message.id],
    );
    expect(events).toHaveLength(1);
  });

  it('set a message to failed with the reason, and a late `delivered` does not change it', async () => {
    const message = await sentSms(acme);
    const failed = await twilioCalls(message, 'undelivered', { errorCode: '30003' });
    expect(await statusAfter(acme, failed.body.runId, message.id)).toBe('failed');
    const late = await twilioCalls(message, 'delivered');
    expect(await statusAfter(acme, late.body.runId, message.id)).toBe('failed');
    expect((await getMessage(acme, message.id)).status_reason).toContain('Twilio error 30003');
  });

  it('are refused when they are forged or changed, and change nothing', async () => {
    const message = await sentSms(acme);
    const forged = createHmac('sha1', 'another token').update(hook.url).digest('base64');
    for (const signature of [forged, '', 'x']) {
      const { status } = await twilioCalls(message, 'failed', { signature });
      expect(status).toBe(401);
    }
    expect((await getMessage(acme, message.id)).status).toBe('sent');
  });

  it('reach no message of another organization', async () => {
    const message = await sentSms(beta);
    const { body } = await twilioCalls(message, 'failed');
    await runUntil(acme, body.runId, 'failed');
    expect((await getMessage(beta, message.id)).status).toBe('sent');
  });
});

describe('delivery receipts of Vonage', () => {
  it.each([
    ['delivered', 'delivered'],
    ['rejected', 'failed'],
    ['expired', 'failed'],
  ])(
    'with the status %s set a message to %s, and receipts of other states change nothing',
    async (reported, status) => {
      const { id: workflowId } = await save(beta, 'Status of Vonage');
      const message = await sentSms(beta);
      const receipt = (state: string) =>
        postWebhook(switchboard, workflowId, {
          msisdn: message.to.slice(1),
          to: 'Acme',
          'network-code': '26201',
          messageId: message.provider_message_id,
          price: '0.03330000',
          status: state,
          scts: '2001011400',
          'err-code': state === 'delivered' ? '0' : '6',
          'api-key': API_KEY,
          'message-timestamp': '2026-01-01 12:00:00',
        });
      expect((await receipt('buffered')).body).toEqual({ ok: true, skipped: true });
      const { body } = await receipt(reported);
      expect(await statusAfter(beta, body.runId, message.id)).toBe(status);
      expect((await receipt('accepted')).body).toEqual({ ok: true, skipped: true });
      expect((await getMessage(beta, message.id)).status).toBe(status);
    },
  );
});

describe('reports of Mailgun', () => {
  it('suppress the address once after a permanent failure, and not again after a late delivery', async () => {
    const { id: workflowId } = await save(acme, 'Deliveries');
    const contact = await createContact(acme);
    const { value } = await acme.call<{ message: TestMessage }>('send_message', {
      contact_id: contact.id,
      subject: 'Hello',
      body: 'Hello',
    });
    const { id } = await untilStatus(acme, value.message.id, 'sent');
    const report = (data: object) =>
      postWebhook(switchboard, workflowId, {
        signature: { token: 'a', timestamp: '1', signature: 'b' },
        'event-data': { message: { headers: { 'message-id': `${id}@localhost` } }, ...data },
      });
    const bounce = {
      event: 'failed',
      severity: 'permanent',
      'delivery-status': { code: 550, message: 'No such mailbox' },
    };
    for (const data of [bounce, bounce, { event: 'delivered', 'delivery-status': { code: 250 } }]) {
      const { body } = await report(data);
      expect(await statusAfter(acme, body.runId, id)).toBe('failed');
    }
    const { value: list } = await acme.call<{ suppressions: { address: string }[] }>(
      'list_suppressions',
      { channel: 'email' },
    );
    expect(list.suppressions).toMatchObject([{ address: contact.email, reason: 'bounce' }]);
    const next = await acme.call<{ message: TestMessage }>('send_message', {
      contact_id: contact.id,
      subject: 'Again',
      body: 'Again',
    });
    await untilStatus(acme, next.value.message.id, 'suppressed');
  });
});

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../src/workflows/webhooks/signatures/verify-webhook.js';
import { sharedSink } from '../outbound/support/shared-sink.js';
import type { Sink } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createContact, untilStatus } from './support.js';

const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

describe('a webhook message', () => {
  let switchboard: RunningSwitchboard;
  let sink: Sink;
  let acme: TestOrganization;
  let status = 200;
  let contactId: string;
  beforeAll(async () => {
    sink = await sharedSink((_request, response) => response.writeHead(status).end());
    switchboard = await sharedSwitchboard();
  });
  beforeEach(async () => {
    status = 200;
    acme = await createOrganization(switchboard);
    await acme.call('create_channel_provider', {
      channel: 'webhook',
      kind: 'standard_webhooks',
      secret: SECRET,
    });
    contactId = await contactWith(`http://127.0.0.1:${sink.port}/hook`);
  });

  const contactWith = async (url: string): Promise<string> =>
    (await createContact(acme, { properties: { webhook_url: url } })).id;
  const send = (given: object = {}) =>
    acme.call<{ message: { id: string } }>('send_message', {
      contact_id: contactId,
      channel: 'webhook',
      body: 'Hello 🎉',
      ...given,
    });

  it('is a POST that a receiver of Standard Webhooks can verify', async () => {
    const { value } = await send({ subject: 'Greeting' });
    const sent = await untilStatus(acme, value.message.id, 'sent');
    expect(sent.to).toBe(`http://127.0.0.1:${sink.port}/hook`);
    const { headers, body } = sink.requests.at(-1)!;
    expect(verifyWebhook(Buffer.from(body), headers, [SECRET], new Date(), 300)).toBe('standard');
    expect(JSON.parse(body)).toMatchObject({
      type: 'message',
      data: { id: value.message.id, subject: 'Greeting', body: 'Hello 🎉' },
    });
    expect(headers['webhook-id']).toBe(value.message.id);
  });

  it.each([
    [410, 'failed', 'provider_refused'],
    [302, 'failed', 'provider_refused'],
    [504, 'uncertain', 'connection_lost'],
  ])('that the receiver answers with %i is %s', async (answered, expected, code) => {
    status = answered;
    const { value } = await send();
    expect(await untilStatus(acme, value.message.id, expected)).toMatchObject({
      reason_code: code,
    });
  });

  it('never goes to a private address, even when the properties of a contact have one', async () => {
    contactId = await contactWith('http://169.254.169.254/latest/meta-data');
    const { value } = await send();
    expect(await untilStatus(acme, value.message.id, 'failed')).toMatchObject({
      reason_code: 'invalid_address',
    });
  });

  it.each(['not a url', 'ftp://example.com/', 'https://user:password@example.com/'])(
    'is refused for the URL %s',
    async (url) => {
      contactId = await contactWith(url);
      expect((await send()).error).toMatchObject({ code: 'invalid_arguments' });
    },
  );
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChannelContractCase, channelContract } from '../../src/channels/contract-checks.js';
import { MailChannel } from '../../src/channels/mail-channel.js';
import { ProviderRequests } from '../../src/channels/provider-requests.js';
import { SmsChannel } from '../../src/channels/sms-channel.js';
import { WebhookChannel } from '../../src/channels/webhook-channel.js';
import { loadEnv } from '../../src/config/load-env.js';
import { FileEmailChannel } from '../../src/mail/file-email-channel.js';
import { HostResolver } from '../../src/outbound/host-resolver.js';
import { OutboundClient } from '../../src/outbound/outbound-client.js';
import { OutboundRules } from '../../src/outbound/outbound-rules.js';
import type { FilesService } from '../../src/files/files.service.js';
import type { SendersService } from '../../src/senders/senders.service.js';
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

const CONTACT = { email: 'ada@example.com', phone: '+493012345678', properties: {} };
const CONTENT = { subject: null, body: 'Hello' };
/** Undefined, because channels use these services only for e-mails with attachments or with a `from` address. */
const FILES = undefined as unknown as FilesService;
const SENDERS = undefined as unknown as SendersService;

describe('the contract of channels', () => {
  let twilio: ProviderServer;
  let vonage: ProviderServer;
  let requests: ProviderRequests;
  let folder: string;
  beforeAll(async () => {
    [twilio, vonage] = await Promise.all([startTwilio(), startVonage()]);
    const allowed = [twilio, vonage].map(({ port }) => `127.0.0.1:${port}`).join(',');
    const { outboundExceptions } = loadEnv({ OUTBOUND_ALLOW: allowed });
    const rules = new OutboundRules(outboundExceptions);
    requests = new ProviderRequests(new OutboundClient(rules, new HostResolver()));
    folder = await mkdtemp(join(tmpdir(), 'switchboard-contract-'));
  });
  afterAll(async () => {
    await Promise.all([twilio.close(), vonage.close()]);
    await rm(folder, { recursive: true });
  });

  const cases: Record<string, () => ChannelContractCase> = {
    'sms over Twilio': () => ({
      channel: new SmsChannel(requests),
      account: {
        id: 'chp_1',
        kind: 'twilio',
        settings: { account_sid: ACCOUNT_SID, from: 'Acme', base_url: twilio.url },
        secret: AUTH_TOKEN,
      },
      contact: CONTACT,
      content: CONTENT,
      scenarios: {
        sent: () => undefined,
        refused: () => twilio.script({ status: 400, body: { code: 21211, message: 'Invalid' } }),
        failed: () => twilio.script({ status: 429, headers: { 'Retry-After': '5' } }),
        unknown: () => twilio.script('accept and drop'),
      },
    }),
    'sms over Vonage': () => ({
      channel: new SmsChannel(requests),
      account: {
        id: 'chp_1',
        kind: 'vonage',
        settings: { api_key: API_KEY, from: 'Acme', base_url: vonage.url },
        secret: API_SECRET,
      },
      contact: CONTACT,
      content: CONTENT,
      scenarios: {
        sent: () => undefined,
        refused: () => vonage.script(vonageAnswer({ status: '15', 'error-text': 'Sender' })),
        failed: () => vonage.script(vonageAnswer({ status: '1', 'error-text': 'Throttled' })),
        unknown: () => vonage.script({ status: 200, body: {} }),
      },
    }),
    webhook: () => ({
      channel: new WebhookChannel(requests),
      account: {
        id: 'chp_1',
        kind: 'standard_webhooks',
        settings: {},
        secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
      },
      contact: { ...CONTACT, properties: { webhook_url: `${twilio.url}/hook` } },
      content: { subject: 'Hello', body: 'Hello' },
      scenarios: {
        sent: () => twilio.script({ status: 204 }),
        refused: () => twilio.script({ status: 410 }),
        failed: () => twilio.script({ status: 503 }),
        unknown: () => twilio.script('accept and drop'),
      },
    }),
    email: () => {
      const outbox = join(folder, 'outbox');
      return {
        channel: new MailChannel(new FileEmailChannel(outbox, 'from@example.com'), SENDERS, FILES),
        contact: CONTACT,
        content: { subject: 'Hello', body: 'Hello' },
        scenarios: {
          sent: () => rm(outbox, { recursive: true, force: true }),
          refused: () => ({ to: 'nobody' }),
          failed: async () => {
            await rm(outbox, { recursive: true, force: true });
            await writeFile(outbox, '');
          },
        },
      };
    },
  };
  const names = [
    'has @Channel, and distinguishes an unknown outcome from a failure',
    'finds the address of a contact, or null when the contact has none',
    'accepts valid content, and checks any text without throwing',
    'answers sent',
    'answers refused',
    'answers failed',
    'answers unknown',
    'answers without throwing when the worker stops',
  ];

  it('is fulfilled by the channel sms when the worker stops while the provider does not answer', async () => {
    const { channel, account, contact } = cases['sms over Twilio']!();
    const before = twilio.accepted.length;
    twilio.script('accept and wait');
    const stop = new AbortController();
    const message = {
      ...CONTENT,
      id: 'msg_1',
      organizationId: 'org_1',
      contactId: null,
      to: contact.phone!,
      createdAt: new Date(),
    };
    const handover = channel.handOver(message, account, stop.signal);
    await waitFor(() => twilio.accepted.length > before);
    stop.abort();
    expect(await handover).toMatchObject({ outcome: 'unknown', code: 'connection_lost' });
  });

  describe.each(Object.keys(cases))('%s', (title) => {
    it.each(names)('%s', async (name) => {
      await channelContract(cases[title]!())
        .find((check) => check.name === name)
        ?.run();
    });
  });
});

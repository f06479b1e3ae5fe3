import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  channelContract,
  type Outcome,
  startTestSwitchboard,
  type TestOrganization,
  type TestSwitchboard,
} from 'switchboard/testing';
import { SlackChannel } from '../src/slack.channel.js';
import { TeamChannelsModule } from '../src/team-channels.module.js';

interface Message {
  id: string;
  status: string;
  status_reason: string | null;
  provider_message_id: string | null;
}
type Answer = { status: number; body: object } | 'drop';

const TOKEN = 'xoxb-1-abc';
const SLACK_SENT = { status: 200, body: { ok: true, ts: '1700000000.000100' } };

describe('channels of a team', () => {
  let switchboard: TestSwitchboard;
  let server: Server;
  let url: string;
  let acme: TestOrganization;
  const answers: Answer[] = [];
  const requests: { path: string; body: Record<string, unknown> }[] = [];

  before(async () => {
    server = createServer((request, response) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
        requests.push({ path: request.url ?? '', body });
        const answer = answers.shift() ?? SLACK_SENT;
        if (answer === 'drop') return response.destroy();
        response.writeHead(answer.status, { 'Content-Type': 'application/json' });
        return response.end(JSON.stringify(answer.body));
      })();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    switchboard = await startTestSwitchboard({
      modules: [TeamChannelsModule],
      env: { OUTBOUND_ALLOW: `127.0.0.1:${port}` },
    });
  });
  after(async () => {
    await switchboard.close();
    server.close();
  });
  beforeEach(async () => {
    requests.length = 0;
    acme = await switchboard.createOrganization('Acme');
  });

  const addProvider = async (given: object) => {
    result(await acme.callAsPerson('create_channel_provider', given));
  };
  const send = async (contact: object, channel: string): Promise<Message> => {
    const created = result(
      await acme.callAsAgent<{ contact: { id: string } }>('create_contact', {
        ...contact,
        on_conflict: 'update',
      }),
    );
    const given = { contact_id: created.contact.id, channel, body: 'Hello' };
    const sent = await acme.callAsAgent<{ message: Message }>('send_message', given);
    return await settled(result(sent).message.id);
  };
  const settled = async (id: string): Promise<Message> => {
    for (;;) {
      const found = await acme.callAsAgent<{ message: Message }>('get_message', { message_id: id });
      const { message } = result(found);
      if (['sent', 'failed', 'uncertain'].includes(message.status)) return message;
      await sleep(50);
    }
  };

  it('send to Slack', async () => {
    await addProvider({
      channel: 'slack',
      kind: 'bot',
      settings: { base_url: url },
      secret: TOKEN,
    });
    const ada = { email: 'ada@example.com', properties: { slack_id: 'U012AB3CD' } };
    const sent = await send(ada, 'slack');
    assert.equal(sent.provider_message_id, '1700000000.000100');
    assert.deepEqual(requests[0]!.body, { channel: 'U012AB3CD', text: 'Hello' });
  });

  it('send free text over WhatsApp for 24 hours after the contact has written, and a template later', async () => {
    const accepted = { status: 200, body: { messages: [{ id: 'wamid.1' }] } };
    answers.push(accepted, accepted);
    await addProvider({
      channel: 'whatsapp',
      kind: 'cloud',
      settings: { phone_number_id: '123', template: 'news', base_url: url },
      secret: 'EAAG',
    });
    const ada = { phone: '+493012345678' };
    assert.equal((await send(ada, 'whatsapp')).status, 'sent');
    assert.equal(requests[0]!.body.type, 'template');
    const reply = { ...ada, channel: 'whatsapp', body: 'Yes' };
    result(await acme.callAsPerson('record_message', reply));
    assert.equal((await send(ada, 'whatsapp')).provider_message_id, 'wamid.1');
    assert.equal(requests[1]!.path, '/123/messages');
    assert.equal(requests[1]!.body.type, 'text');
  });

  it('keep the contract of channels', async (test) => {
    const checks = channelContract({
      channel: switchboard.app.get(SlackChannel, { strict: false }),
      account: { id: 'chp_1', kind: 'bot', settings: { base_url: url }, secret: TOKEN },
      contact: { email: null, phone: null, properties: { slack_id: 'U012AB3CD' } },
      content: { subject: null, body: 'Hello' },
      scenarios: {
        sent: () => void answers.push(SLACK_SENT),
        refused: () =>
          void answers.push({ status: 200, body: { ok: false, error: 'user_not_found' } }),
        failed: () => void answers.push({ status: 429, body: {} }),
        unknown: () => void answers.push('drop'),
      },
    });
    for (const { name, run } of checks) await test.test(name, run);
  });
});

function result<Result>(outcome: Outcome<Result>): Result {
  if (outcome.ok) return outcome.result;
  throw new Error(`${outcome.error.code}: ${outcome.error.message}`);
}

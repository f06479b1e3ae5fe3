import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MessageWorker } from '../../src/messaging/message.worker.js';
import { type Sink, startSink } from '../outbound/support/sink.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createContact, untilStatus } from './support.js';

describe('slots of a worker for messages', () => {
  let switchboard: Switchboard;
  let sink: Sink;
  const waiting: ServerResponse[] = [];
  beforeAll(async () => {
    sink = await startSink('127.0.0.1', (request, response) => {
      if (request.path === '/slow') waiting.push(response);
      else response.end();
    });
    switchboard = await startSwitchboard({
      env: { OUTBOUND_ALLOW: `127.0.0.1:${sink.port}`, WORKER_CONCURRENCY: '4' },
    });
  });
  afterAll(async () => {
    for (const response of waiting) response.end();
    await switchboard.close();
    await sink.close();
  });

  /** Returns an organization, and a function that sends a message to a path of the sink. */
  async function senderTo(path: string) {
    const organization = await createOrganization(switchboard);
    await organization.call('create_channel_provider', {
      channel: 'webhook',
      kind: 'standard_webhooks',
      secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    });
    const webhook_url = `http://127.0.0.1:${sink.port}${path}`;
    const { id } = await createContact(organization, { properties: { webhook_url } });
    return { organization, send: () => sendTo(organization, id) };
  }

  async function sendTo(organization: TestOrganization, contact_id: string): Promise<string> {
    const given = { contact_id, channel: 'webhook', body: 'Hello' };
    const { value } = await organization.call<{ message: { id: string } }>('send_message', given);
    return value.message.id;
  }

  it('are not all used by the messages of one organization when their receiver never answers', async () => {
    const slow = await senderTo('/slow');
    for (let message = 0; message < 20; message += 1) await slow.send();
    await waitFor(() => waiting.length === 12);
    const quick = await senderTo('/quick');
    for (let message = 0; message < 3; message += 1) {
      await untilStatus(quick.organization, await quick.send(), 'sent');
    }
    expect(waiting).toHaveLength(12);
  });

  it('are not given to an organization that has used its slots, even by a wake-up', async () => {
    const web = await startSwitchboard({ env: { ROLE: 'web' } });
    try {
      const organizations = [await createOrganization(web), await createOrganization(web)];
      for (const organization of organizations) {
        const { id } = await createContact(organization);
        for (let message = 0; message < 5; message += 1) {
          const given = { contact_id: id, subject: 'Hello', body: 'Hello' };
          await organization.call('send_message', given);
        }
      }
      const [first, second] = organizations.map(({ id }) => id) as [string, string];
      const worker = web.app.get(MessageWorker, { strict: false });
      const none = { after: '', room: 4, rooms: { [first]: 0, [second]: 0 } };
      expect(await worker.claim(4, undefined, none)).toEqual([]);
      const share = { after: '', room: 4, rooms: { [first]: 1 } };
      const claims = await worker.claim(4, undefined, share);
      expect(claims.map(({ organizationId }) => organizationId).toSorted()).toEqual(
        [first, second, second, second].toSorted(),
      );
      expect(await worker.claim(1, claims[0]!.id, none)).toEqual([]);
    } finally {
      await web.close();
    }
  });

  it('are given to an organization although several organizations before it only have messages that are being sent', async () => {
    const web = await startSwitchboard({ env: { ROLE: 'web' } });
    try {
      const organizations: TestOrganization[] = [];
      for (let count = 0; count < 5; count += 1) {
        const organization = await createOrganization(web);
        organizations.push(organization);
        const { id } = await createContact(organization);
        await organization.call('send_message', { contact_id: id, subject: 'Hi', body: 'Hi' });
      }
      const last = organizations
        .map(({ id }) => id)
        .toSorted()
        .at(-1);
      await web.ownerQuery(
        `update messages set status = 'sending', lease_until = 'infinity' where organization_id <> $1`,
        [last],
      );
      const worker = web.app.get(MessageWorker, { strict: false });
      const share = { after: '', room: 1, rooms: {} };
      expect(await worker.claim(1, undefined, share)).toMatchObject([{ organizationId: last }]);
    } finally {
      await web.close();
    }
  });
});

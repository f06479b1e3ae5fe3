import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createWorkflow, postWebhook, sign } from './support/workflow-client.js';

const MIB = 1024 * 1024;
const SIZE = 2 * MIB;
/** A large body occupies a slot when this number of its bytes has arrived. */
const LARGE_BYTES = MIB + 64 * 1024;
/** The address of a stranger. The tests send other deliveries from 127.0.0.1. */
const STRANGER = '127.0.0.2';

interface SlowBody {
  sent: ClientRequest;
  status: Promise<number>;
}

describe('slow large bodies of a stranger', () => {
  let switchboard: Switchboard;
  let acme: TestOrganization;
  let workflow: { id: string; secret: string | null };
  const body = JSON.stringify({ text: 'x'.repeat(SIZE - 11) });

  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { MAX_PAYLOAD_BYTES: String(SIZE) } });
    acme = await createOrganization(switchboard);
    workflow = await createWorkflow(acme, [], { trigger: { type: 'webhook', secret: true } });
  });
  afterAll(() => switchboard.close());

  /** Sends the first bytes of a large body, and never sends the other bytes. */
  function begin(bytes: number): SlowBody {
    const sent = request(`${switchboard.url}/api/webhooks/workflow/${workflow.id}`, {
      method: 'POST',
      localAddress: STRANGER,
      headers: { 'Content-Type': 'application/json', 'Content-Length': SIZE },
    });
    const status = new Promise<number>((resolve) => {
      sent.on('response', (response: IncomingMessage) => {
        response.resume();
        resolve(response.statusCode!);
      });
    });
    sent.on('error', () => undefined);
    sent.flushHeaders();
    if (bytes > 0) sent.write('x'.repeat(bytes));
    return { sent, status };
  }

  /** Occupies all slots of the organization. */
  async function occupy(): Promise<SlowBody[]> {
    const bodies = Array.from({ length: 4 }, () => begin(LARGE_BYTES));
    // When one body is refused, the three others have their slots.
    expect(await Promise.race(bodies.map(({ status }) => status))).toBe(503);
    return bodies;
  }

  const deliver = async (): Promise<number> => {
    const headers = { 'x-webhook-signature': sign(body, workflow.secret!) };
    return (await postWebhook(switchboard, workflow.id, body, headers)).status;
  };

  it('occupy no slot before more than 1 MiB has arrived', async () => {
    const server = switchboard.app.getHttpServer();
    let begun = 0;
    server.on('request', () => (begun += 1));
    const bodies = Array.from({ length: 6 }, (_, index) => begin(index < 3 ? 0 : MIB));
    try {
      await waitFor(() => begun === 6);
      expect(await deliver()).toBe(202);
    } finally {
      for (const { sent } of bodies) sent.destroy();
    }
  });

  it('lose a slot to a body from another network', async () => {
    const bodies = await occupy();
    try {
      expect(await deliver()).toBe(202);
    } finally {
      for (const { sent } of bodies) sent.destroy();
    }
  });

  it('lose their slots when they arrive too slowly', async () => {
    const bodies = await occupy();
    const trickle = setInterval(() => bodies.forEach(({ sent }) => sent.write('x')), 100);
    try {
      const statuses = await Promise.all(bodies.map(({ status }) => status));
      expect(statuses).toEqual([503, 503, 503, 503]);
      expect(await deliver()).toBe(202);
    } finally {
      clearInterval(trickle);
      for (const { sent } of bodies) sent.destroy();
    }
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MessageDeliveryService } from '../../src/messaging/message-delivery.service.js';
import { MessageWorker } from '../../src/messaging/message.worker.js';
import { type Moment, ScriptedSmtpServer } from '../mail/scripted-smtp-server.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createContact, getMessage, send } from './support.js';

describe('an e-mail with `on_uncertain: hold`, when a stop aborts its attempt', () => {
  const script: Partial<Record<Moment, 'silence'>> = {};
  const server = new ScriptedSmtpServer(script);
  // No worker runs, so the tests can claim messages and abort their attempts.
  let switchboard: Switchboard;
  let acme: TestOrganization;
  beforeAll(async () => {
    await server.start();
    switchboard = await startSwitchboard({
      env: {
        ROLE: 'web',
        SMTP_URL: `smtp://127.0.0.1:${server.port}`,
        MAIL_FROM: 'shop@acme.example',
      },
    });
    acme = await createOrganization(switchboard);
  });
  afterAll(async () => {
    await switchboard.close();
    await server.stop();
  });

  /** Aborts an attempt while the server keeps silent. Returns the status then, and a function that tries again. */
  async function abortAt(moment: Moment, isReached: () => boolean) {
    script[moment] = 'silence';
    const { id: contactId } = await createContact(acme);
    const { id } = await send(acme, { contact_id: contactId, on_uncertain: 'hold' });
    const workers = switchboard.app.get(MessageWorker, { strict: false });
    const delivery = switchboard.app.get(MessageDeliveryService, { strict: false });
    const stop = new AbortController();
    const [claim] = await workers.claim(1, id);
    const delivered = delivery.deliver(claim!, stop.signal);
    await waitFor(isReached);
    stop.abort();
    await delivered;
    delete script[moment];
    const status = async () => (await getMessage(acme, id)).status;
    const deliverAgain = async () => {
      await switchboard.ownerQuery(
        `update messages set lease_until = now() - interval '1 ms' where id = $1`,
        [id],
      );
      const [next] = await workers.claim(1, id);
      await delivery.deliver(next!, new AbortController().signal);
      return await status();
    };
    return { status: await status(), deliverAgain };
  }

  it('is sent by the next worker, because the server had not got the whole message', async () => {
    const { status, deliverAgain } = await abortAt('RCPT', () =>
      server.commands.some((command) => command.startsWith('RCPT')),
    );
    expect(status).toBe('queued');
    expect(await deliverAgain()).toBe('sent');
    expect(server.messages).toHaveLength(1);
  });

  it('becomes uncertain when the server had got the whole message', async () => {
    server.messages.length = 0;
    const { status, deliverAgain } = await abortAt('dot', () => server.messages.length > 0);
    expect(status).toBe('sending');
    expect(await deliverAgain()).toBe('uncertain');
    expect(server.messages).toHaveLength(1);
  });
});

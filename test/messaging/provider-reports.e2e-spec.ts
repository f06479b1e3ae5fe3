import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MessageAttemptsService } from '../../src/messaging/message-attempts.service.js';
import { MessageOutcomesService } from '../../src/messaging/message-outcomes.service.js';
import { MessageWorker } from '../../src/messaging/message.worker.js';
import type { Claim } from '../../src/queue/leased-work.js';
import {
  createOrganization,
  type Outcome,
  type TestOrganization,
} from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { itSlow, sample } from '../support/thorough.js';
import { waitFor } from '../support/wait-for.js';
import {
  createWorkflow,
  postWebhook,
  runToEnd,
  runUntil,
} from '../workflows/support/workflow-client.js';
import { createContact, getMessage, send, type TestMessage, untilStatus } from './support.js';

interface Recorded {
  message: TestMessage & { direction: string; channel: string };
  created: boolean;
}
interface Reported {
  message: TestMessage;
  changed: boolean;
}

let switchboard: Switchboard;
let acme: TestOrganization;
beforeEach(async () => {
  acme = await createOrganization(switchboard);
});

const record = (given: object): Promise<Outcome<Recorded>> => acme.call('record_message', given);
const report = (id: string, outcome: string, reason?: string): Promise<Outcome<Reported>> =>
  acme.call('report_delivery', { message_id: id, outcome, reason });
const on = (event: string) => ({ trigger: { type: 'event', event } });
const runsOf = (workflowId: string): Promise<{ id: string; depth: number; payload: string }[]> =>
  switchboard.ownerQuery(
    `select id, depth, convert_from(payload, 'UTF8') as payload from workflow_runs
     where workflow_id = $1 order by created_at, id`,
    [workflowId],
  );
const sentMessage = async (fields: object = {}): Promise<TestMessage> => {
  const { id } = await createContact(acme);
  return await untilStatus(acme, (await send(acme, { contact_id: id, ...fields })).id, 'sent');
};

describe('with workers', () => {
  beforeAll(async () => {
    switchboard = await startSwitchboard();
  });
  afterAll(() => switchboard.close());

  describe('record_message', () => {
    it('records an inbound message and starts the workflows that it triggers', async () => {
      const contact = await createContact(acme, { phone: '+4930123456' });
      const reply = await createWorkflow(
        acme,
        [{ id: 'look', tool: 'get_contact', arguments: { contact_id: '{{ contact.id }}' } }],
        on('message.received'),
      );
      const { value } = await record({
        phone: '+49 30 123456',
        channel: 'sms',
        to: '+4930999999',
        body: 'Yes, please.\n',
        external_id: 'SM1',
      });
      expect(value).toMatchObject({
        created: true,
        message: {
          contact_id: contact.id,
          channel: 'sms',
          direction: 'inbound',
          subject: null,
          body: 'Yes, please.\n',
          status: 'received',
          to: '+4930999999',
          sent_at: null,
        },
      });
      expect(await getMessage(acme, value.message.id)).toEqual(value.message);
      const [row] = await waitFor(async () => {
        const rows = await runsOf(reply.id);
        return rows.length > 0 ? rows : undefined;
      });
      const run = await runUntil(acme, row!.id, 'succeeded');
      expect(run.contact_id).toBe(contact.id);
      expect(run.trigger.payload).toEqual({ event: 'message.received', message: value.message });
      const listed = await acme.call<{ messages: object[] }>('list_messages', {
        contact_id: contact.id,
        status: 'received',
      });
      expect(listed.value.messages).toEqual([value.message]);
    });

    it('records a repeated message once, even in simultaneous calls, and starts one run', async () => {
      const { email } = await createContact(acme);
      const workflow = await createWorkflow(acme, [], on('message.received'));
      const given = { email, body: 'Hello', external_id: '<1@elsewhere>' };
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => record(given)));
      expect(outcomes.filter(({ value }) => value.created)).toHaveLength(1);
      expect(new Set(outcomes.map(({ value }) => value.message.id)).size).toBe(1);
      const again = await record({ ...given, body: 'Something else' });
      expect(again.value).toEqual({ message: outcomes[0]!.value.message, created: false });
      expect(await runsOf(workflow.id)).toHaveLength(1);
    });

    it('records a message only once if its id is too long for an index', async () => {
      const { email } = await createContact(acme);
      const given = { email, body: 'Hello', external_id: '漢'.repeat(998) };
      expect((await record(given)).value.created).toBe(true);
      expect((await record(given)).value.created).toBe(false);
    });

    itSlow(
      'treats an external_id as unique per organization and channel, and records every message without an external_id',
      async () => {
        const { email } = await createContact(acme);
        const stranger = await createOrganization(switchboard);
        await stranger.call('create_contact', { email });
        const cases = [
          await record({ email, body: 'a', external_id: '1' }),
          await record({ email, body: 'a', external_id: '2' }),
          await record({ email, body: 'a', external_id: '1', channel: 'sms' }),
          await stranger.call<Recorded>('record_message', { email, body: 'a', external_id: '1' }),
          await record({ email, body: 'a' }),
          await record({ email, body: 'a' }),
        ];
        expect(cases.map(({ value }) => value.created)).toEqual(cases.map(() => true));
        expect(new Set(cases.map(({ value }) => value.message.id)).size).toBe(cases.length);
        // A repeated report returns the message of the same channel.
        for (const channel of ['email', 'sms']) {
          const { value } = await record({ email, body: 'a', external_id: '1', channel });
          expect(value).toMatchObject({ created: false, message: { channel } });
        }
      },
    );

    it('rejects an unknown contact, and a call without exactly one identifier', async () => {
      const { id, email } = await createContact(acme);
      const unknown = await record({ email: 'nobody@example.com', body: 'Hello' });
      expect(unknown.error).toMatchObject({ code: 'not_found' });
      const both = await record({ contact_id: id, email, body: 'Hello' });
      expect(both.error).toMatchObject({ code: 'invalid_arguments' });
      const { value } = await acme.call<{ messages: object[] }>('list_messages');
      expect(value.messages).toEqual([]);
    });

    it('is hidden from agents, and its messages can be neither canceled nor reported as delivered', async () => {
      const response = await acme.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const text = await response.text();
      expect(text).toContain('send_message');
      expect(text).not.toContain('record_message');
      expect(text).not.toContain('report_delivery');
      const { email } = await createContact(acme);
      const { value } = await record({ email, body: 'Hello' });
      const { id } = value.message;
      const canceled = await acme.call('cancel_message', { message_id: id });
      expect(canceled.error?.code).toBe('conflict');
      expect((await report(id, 'delivered')).error?.code).toBe('conflict');
    });
  });

  describe('report_delivery', () => {
    it('sets a sent message to delivered, by its id or Message-ID, and starts one run', async () => {
      const workflow = await createWorkflow(acme, [], on('message.delivered'));
      const first = await sentMessage();
      const second = await sentMessage();
      const { value } = await report(first.id, 'delivered');
      expect(value).toMatchObject({
        changed: true,
        message: { id: first.id, status: 'delivered', sent_at: first.sent_at, status_reason: null },
      });
      const outcomes = await Promise.all(
        [`<${second.id}@localhost>`, `${second.id}@localhost`, second.id, second.id].map((id) =>
          report(id, 'delivered'),
        ),
      );
      expect(outcomes.filter(({ value }) => value.changed)).toHaveLength(1);
      expect((await report(first.id, 'delivered')).value.changed).toBe(false);
      const runs = await runsOf(workflow.id);
      expect(
        runs.map(({ payload }) => (JSON.parse(payload) as Reported).message.id).sort(),
      ).toEqual([first.id, second.id].sort());
    });

    it.each(sample(['bounced', 'failed'], 2))(
      'marks a message as failed when it has %s, and stores the reason',
      async (outcome) => {
        const workflow = await createWorkflow(acme, [], on('message.failed'));
        const { id } = await sentMessage();
        const { value } = await report(id, outcome, '550\r\nno such\u0007 user ');
        expect(value.message.status).toBe('failed');
        expect(value.message.status_reason).toMatch(/^The provider reported .*: 550 no such user$/);
        expect(await runsOf(workflow.id)).toHaveLength(1);
      },
    );

    it('reaches the same status in every order of reports', async () => {
      const [one, two] = [await sentMessage(), await sentMessage()];
      expect((await report(one.id, 'delivered')).value.changed).toBe(true);
      expect((await report(one.id, 'bounced')).value.changed).toBe(true);
      expect((await report(two.id, 'bounced')).value.changed).toBe(true);
      expect((await report(two.id, 'delivered')).value.changed).toBe(false);
      const ends = [await getMessage(acme, one.id), await getMessage(acme, two.id)];
      expect(ends.map(({ status }) => status)).toEqual(['failed', 'failed']);
    });

    it('rejects messages that were not sent, also when they are canceled, and messages of other organizations', async () => {
      const { id: contactId } = await createContact(acme);
      const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
      const { id } = await send(acme, { contact_id: contactId, scheduled_at: scheduledAt });
      expect((await report(id, 'delivered')).error?.code).toBe('conflict');
      await acme.call('cancel_message', { message_id: id });
      for (const outcome of ['delivered', 'bounced', 'complained']) {
        expect((await report(id, outcome)).error?.code, outcome).toBe('conflict');
      }
      expect((await getMessage(acme, id)).status).toBe('canceled');
      const { value } = await acme.call<{ suppressions: object[] }>('list_suppressions', {});
      expect(value.suppressions).toEqual([]);
      const { id: sent } = await sentMessage();
      const stranger = await createOrganization(switchboard);
      const tried = await stranger.call('report_delivery', { message_id: sent, outcome: 'failed' });
      expect(tried.error?.code).toBe('not_found');
      expect((await getMessage(acme, sent)).status).toBe('sent');
    });

    itSlow('attributes its event to the run that sent the message, so that loops end', async () => {
      const { id: contactId } = await createContact(acme);
      const after = await createWorkflow(acme, [], on('message.delivered'));
      const sender = await createWorkflow(acme, [
        {
          id: 'mail',
          tool: 'send_message',
          arguments: { contact_id: contactId, subject: 'Hello', body: 'Good day.' },
        },
      ]);
      // Marks the run with a depth of 5. A run that its event starts must have the depth 6.
      const run = await runToEnd(acme, sender.id);
      await switchboard.ownerQuery('update workflow_runs set depth = 5 where id = $1', [run.id]);
      const { message } = run.steps[0]!.output as unknown as Reported;
      await untilStatus(acme, message.id, 'sent');
      const provider = await createWorkflow(acme, [
        {
          id: 'tell',
          tool: 'report_delivery',
          arguments: { message_id: '{{ trigger.payload.id }}', outcome: 'delivered' },
        },
      ]);
      const { body } = await postWebhook(switchboard, provider.id, { id: message.id });
      await runUntil(acme, body.runId, 'succeeded');
      expect(await runsOf(after.id)).toMatchObject([{ depth: 6 }]);
    });
  });
});

describe('a delivery report that arrives before the worker records the outcome of the message', () => {
  // No worker runs, so the test acts as a worker.
  beforeAll(async () => {
    switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
  });
  afterAll(() => switchboard.close());

  const claimAndBegin = async (): Promise<Claim> => {
    const { id: contactId } = await createContact(acme);
    const { id } = await send(acme, { contact_id: contactId });
    const worker = switchboard.app.get(MessageWorker, { strict: false });
    const [claim] = await worker.claim(1, id);
    await switchboard.app.get(MessageAttemptsService, { strict: false }).begin(claim!);
    return claim!;
  };
  const record = (claim: Claim, outcome: Parameters<MessageOutcomesService['record']>[1]) =>
    switchboard.app
      .get(MessageOutcomesService, { strict: false })
      .record(claim, outcome, new AbortController().signal);

  it('emits message.sent and message.delivered once each', async () => {
    const workflows = [
      await createWorkflow(acme, [], on('message.sent')),
      await createWorkflow(acme, [], on('message.delivered')),
    ];
    const claim = await claimAndBegin();
    const { id } = claim;
    const { value } = await report(id, 'delivered');
    expect(value.message.status).toBe('delivered');
    expect(value.message.sent_at).not.toBeNull();
    const late = { status: 'sent', reason: null } as const;
    await record(claim, late);
    expect((await getMessage(acme, id)).status).toBe('delivered');
    for (const workflow of workflows) expect(await runsOf(workflow.id)).toHaveLength(1);
  });

  it('prevents a retry after an attempt that seemed to fail', async () => {
    const claim = await claimAndBegin();
    const { id } = claim;
    const retry = { status: 'queued', reason: 'Broke off.', retryInSeconds: 0 } as const;
    await record(claim, retry);
    expect((await report(id, 'delivered')).value.changed).toBe(true);
    const worker = switchboard.app.get(MessageWorker, { strict: false });
    expect(await worker.claim(1, id)).toEqual([]);
  });
});

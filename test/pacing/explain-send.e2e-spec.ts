import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MessageDeliveryService } from '../../src/messaging/message-delivery.service.js';
import { MessageWorker } from '../../src/messaging/message.worker.js';
import { createContact, getMessage, send, type TestMessage } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';

// No worker runs: the tests claim messages themselves.
let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
  acme = await createOrganization(switchboard);
  await acme.call('create_topic', { name: 'news', title: 'News', default: 'opted_in' });
});
afterAll(() => switchboard.close());

interface Explanation {
  outcome: string;
  reason: string | null;
  until: string | null;
  checks: { rule: string; passed: boolean; reason: string | null; until: string | null }[];
  events: { status: string }[];
}
const explain = async (given: object, by = acme): Promise<Explanation> => {
  const { value, error } = await by.call<Explanation>('explain_send', given);
  if (error) throw new Error(`${error.code}: ${error.message}`);
  return value;
};
const failedRules = ({ checks }: Explanation) =>
  checks.filter(({ passed }) => !passed).map(({ rule }) => rule);

async function deliver(id: string): Promise<TestMessage & { held_until: string | null }> {
  const [claim] = await switchboard.app.get(MessageWorker, { strict: false }).claim(1, id);
  await switchboard.app
    .get(MessageDeliveryService, { strict: false })
    .deliver(claim!, new AbortController().signal);
  return (await getMessage(acme, id)) as TestMessage & { held_until: string | null };
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const day = (ahead: number) => DAYS[(new Date().getUTCDay() + ahead) % 7]!;
const QUIET = () => ({ from: '00:00', to: '00:00', days: [day(0), day(1), day(2)] });
const cap = (on: string) => ({ channel: 'email', most: 1, window_seconds: 86_400, on_cap: on });
const setRules = (rules: object) =>
  acme.call('set_sending_rules', { transactional_email: true, ...rules });

interface Case {
  name: string;
  rules: object;
  topic?: string;
  /** Runs before any message is accepted. */
  before?: (contact: { id: string; email: string }) => Promise<unknown>;
  /** Runs after the message is accepted, and before it is explained and delivered. */
  after?: (contact: { id: string; email: string }) => Promise<unknown>;
  outcome: 'send' | 'hold' | 'refuse';
  rule?: string;
}
const leave = ({ id }: { id: string }) =>
  acme.call('set_topic_subscription', { contact_id: id, topic: 'news', subscribed: false });
const sendOne = async ({ id }: { id: string }) =>
  await deliver((await send(acme, { contact_id: id })).id);
const CASES: Case[] = [
  { name: 'no rules', rules: {}, outcome: 'send' },
  {
    name: 'quiet hours',
    rules: { quiet_hours: QUIET() },
    outcome: 'hold',
    rule: 'quiet_hours',
  },
  {
    name: 'quiet hours of another channel',
    rules: { quiet_hours: { ...QUIET(), channels: ['sms'] } },
    outcome: 'send',
  },
  {
    name: 'quiet hours, from which e-mails without a topic are exempt',
    rules: { quiet_hours: QUIET(), transactional_email: false },
    outcome: 'send',
  },
  { name: 'a cap that is not reached', rules: { caps: [cap('hold')] }, outcome: 'send' },
  {
    name: 'a cap that is reached',
    rules: { caps: [cap('hold')] },
    before: sendOne,
    outcome: 'hold',
    rule: 'frequency_cap',
  },
  {
    name: 'a cap that is reached and drops',
    rules: { caps: [cap('drop')], quiet_hours: null },
    before: sendOne,
    outcome: 'refuse',
    rule: 'frequency_cap',
  },
  {
    name: 'a suppressed address',
    rules: { quiet_hours: QUIET() },
    after: ({ email }) => acme.call('suppress_address', { address: email }),
    outcome: 'refuse',
    rule: 'suppression',
  },
  {
    name: 'a denied consent',
    rules: {},
    after: ({ id }) =>
      acme.call('update_contact', { contact_id: id, consent: { email: 'denied' } }),
    outcome: 'refuse',
    rule: 'consent',
  },
  { name: 'a topic that the contact gets', rules: {}, topic: 'news', outcome: 'send' },
  {
    name: 'a topic that the contact left',
    rules: {},
    topic: 'news',
    after: leave,
    outcome: 'refuse',
    rule: 'topic',
  },
  { name: 'no topic, after the contact left one', rules: {}, after: leave, outcome: 'send' },
  {
    name: 'a cap of the topic',
    rules: { caps: [{ ...cap('hold'), topic: 'news' }] },
    topic: 'news',
    before: async ({ id }) => deliver((await send(acme, { contact_id: id, topic: 'news' })).id),
    outcome: 'hold',
    rule: 'frequency_cap',
  },
];

describe('explain_send', () => {
  it.each(sample(CASES, 4))(
    'says what a worker does: $name',
    async ({ rules, topic, before, after, ...wanted }) => {
      await setRules(rules);
      const contact = await createContact(acme);
      await before?.(contact);
      const given = { contact_id: contact.id, ...(topic !== undefined && { topic }) };
      const { id } = await send(acme, given);
      await after?.(contact);
      const [asked, ofMessage] = [await explain(given), await explain({ message_id: id })];
      const message = await deliver(id);
      const done = { sent: 'send', held: 'hold', suppressed: 'refuse', canceled: 'refuse' };
      for (const each of [asked, ofMessage]) {
        expect(each.outcome).toBe(wanted.outcome);
        expect(failedRules(each)).toEqual(wanted.rule ? [wanted.rule] : []);
        expect(each.outcome).toBe(done[message.status as keyof typeof done]);
        expect(each.reason).toBe(message.status_reason);
        expect(each.until).toBe(message.held_until);
      }
      expect(ofMessage.events.map(({ status }) => status)).toEqual(['queued']);
      const afterwards = await explain({ message_id: id });
      expect(afterwards.reason).toBe(message.status_reason);
      expect(afterwards.events.at(-1)?.status).toBe(message.status);
    },
  );

  it('lists the rules that were checked', async () => {
    await setRules({ quiet_hours: { ...QUIET(), days: [day(4)] }, caps: [cap('hold')] });
    const { id } = await createContact(acme);
    const { checks } = await explain({ contact_id: id });
    expect(checks.map(({ rule }) => rule)).toEqual([
      'contact',
      'address',
      'provider',
      'consent',
      'quota',
      'suppression',
      'quiet_hours',
      'frequency_cap',
    ]);
    expect(checks.every(({ passed }) => passed)).toBe(true);
  });

  it.each([
    { given: { email: 'nobody@example.com' }, rule: 'contact' },
    { given: { channel: 'webhook' }, rule: 'address' },
    { given: { channel: 'sms' }, rule: 'provider' },
    { given: { topic: 'unknown' }, rule: 'topic' },
  ])('names $rule when send_message refuses the call', async ({ given, rule }) => {
    await setRules({});
    const { id } = await createContact(acme, rule === 'provider' ? { phone: '+493012341234' } : {});
    const to = given.email ? {} : { contact_id: id };
    const explained = await explain({ ...to, ...given });
    expect(explained.outcome).toBe('refuse');
    expect(failedRules(explained)).toEqual([rule]);
    const body = { body: 'Hello', ...(given.channel ? {} : { subject: 'Hello' }) };
    const { error } = await acme.call('send_message', { ...to, ...given, ...body });
    expect(error?.message).toBe(explained.reason);
  });

  it('says that the quota is used up', async () => {
    const beta = await createOrganization(switchboard);
    await switchboard.ownerQuery(
      `insert into private.quota_exceptions (organization_id, name, amount) values ($1, 'messages', 1)
       on conflict on constraint quota_exceptions_pkey do update set amount = 1`,
      [beta.id],
    );
    const { id, email } = await createContact(beta);
    expect((await explain({ contact_id: id }, beta)).outcome).toBe('send');
    await send(beta, { contact_id: id });
    expect(failedRules(await explain({ contact_id: id }, beta))).toEqual(['quota']);
    await expect(send(beta, { contact_id: id })).rejects.toThrow('quota');
    // The quota refuses the call, so no message is stored, and no worker checks the address.
    await beta.call('suppress_address', { address: email });
    const suppressed = await explain({ contact_id: id }, beta);
    expect(failedRules(suppressed)).toEqual(['quota']);
    expect(suppressed.checks.at(-1)?.rule).toBe('quota');
    // send_message checks the consent before the quota, so the consent refuses the call.
    await beta.call('update_contact', { contact_id: id, consent: { email: 'denied' } });
    const denied = await explain({ contact_id: id, topic: 'unknown' }, beta);
    expect(denied.checks.at(-1)).toMatchObject({ rule: 'consent', passed: false });
    await expect(send(beta, { contact_id: id, topic: 'unknown' })).rejects.toThrow('consent');
  });

  it('lists no rule after the rule that refuses the message', async () => {
    await setRules({ caps: [cap('drop')], quiet_hours: QUIET() });
    const unknown = await explain({ email: 'nobody@example.com', topic: 'unknown' });
    expect(unknown.checks.map(({ rule }) => rule)).toEqual(['contact']);
    await setRules({ caps: [cap('drop')], quiet_hours: null });
    const contact = await createContact(acme);
    await sendOne(contact);
    // The first cap drops the message, so quiet hours and the second cap, which would hold the message, are not listed.
    await setRules({ caps: [cap('drop'), cap('hold')], quiet_hours: QUIET() });
    const dropped = await explain({ contact_id: contact.id });
    expect(dropped.outcome).toBe('refuse');
    expect(failedRules(dropped)).toEqual(['frequency_cap']);
    expect(dropped.checks.at(-1)).toMatchObject({ rule: 'frequency_cap', passed: false });
  });

  it('says what a message waits for', async () => {
    await setRules({});
    const { id } = await createContact(acme);
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const scheduled = await send(acme, { contact_id: id, scheduled_at: scheduledAt });
    expect(await explain({ message_id: scheduled.id })).toMatchObject({
      outcome: 'hold',
      until: scheduledAt,
      checks: [{ rule: 'schedule' }, { rule: 'suppression' }, { rule: 'contact' }, {}],
    });
    const digest = { key: 'a', window_seconds: 3600 };
    const collecting = await send(acme, { contact_id: id, variables: {}, digest });
    expect(failedRules(await explain({ message_id: collecting.id }))).toEqual(['digest']);
  });

  it('reports a bounced message as sent, with the reason of the bounce', async () => {
    const { id } = await send(acme, { contact_id: (await createContact(acme)).id });
    expect((await deliver(id)).status).toBe('sent');
    const report = { message_id: id, outcome: 'bounced', reason: 'No such user' };
    expect((await acme.call('report_delivery', report)).error).toBeUndefined();
    expect(await explain({ message_id: id })).toMatchObject({
      outcome: 'sent',
      reason: expect.stringMatching(/bounced: No such user$/),
    });
  });

  it('explains no message of another organization, and no inbound message', async () => {
    const { id } = await send(acme, { contact_id: (await createContact(acme)).id });
    const beta = await createOrganization(switchboard);
    expect((await beta.call('explain_send', { message_id: id })).error?.code).toBe('not_found');
    const { email } = await createContact(acme);
    const { value } = await acme.call<{ message: TestMessage }>('record_message', {
      email,
      body: 'Hello',
    });
    const received = await acme.call('explain_send', { message_id: value.message.id });
    expect(received.error?.code).toBe('conflict');
    expect((await acme.call('explain_send')).error?.code).toBe('invalid_arguments');
  });
});

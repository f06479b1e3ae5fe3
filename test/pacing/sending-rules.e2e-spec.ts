import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MessageDeliveryService } from '../../src/messaging/message-delivery.service.js';
import { MessageWorker } from '../../src/messaging/message.worker.js';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { PaceService } from '../../src/pacing/pace.service.js';
import { createContact, getMessage, send } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { startSwitchboard, type Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

// No worker runs: the tests claim messages themselves.
let switchboard: Switchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await startSwitchboard({ env: { ROLE: 'web' } });
  acme = await createOrganization(switchboard);
});
afterAll(() => switchboard.close());

interface Rules {
  timezone?: string;
  transactional_email?: boolean;
  quiet_hours?: object | null;
  caps?: object[];
}
const setRules = async (rules: Rules) => {
  const { error } = await acme.call('set_sending_rules', { transactional_email: true, ...rules });
  if (error) throw new Error(`${error.code}: ${error.message}`);
};

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** Returns the name of the day in UTC after the given number of days. */
const day = (ahead: number) => DAYS[(new Date().getUTCDay() + ahead) % 7]!;
/** Returns quiet hours for today and tomorrow, so that they do not end when a test runs at midnight. */
const quietNow = () => ({ from: '00:00', to: '00:00', days: [day(0), day(1), day(2)] });
const quietLater = () => ({ from: '00:00', to: '00:00', days: [day(3)] });

const isDue = (id: string) =>
  switchboard.ownerQuery('update messages set due_at = now() where id = $1', [id]);

/** Acts like a worker: claims the message, and sends it unless a rule holds it. */
async function deliver(id: string): Promise<void> {
  const worker = switchboard.app.get(MessageWorker, { strict: false });
  const delivery = switchboard.app.get(MessageDeliveryService, { strict: false });
  const [claim] = await worker.claim(1, id);
  if (!claim) throw new Error(`${id} is not due.`);
  await delivery.deliver(claim, new AbortController().signal);
}

/**
 * Acts like a worker that claims several messages at the same moment. Returns the statuses of the messages in the order
 * of the alphabet.
 */
async function deliverTogether(ids: readonly string[]): Promise<string[]> {
  const worker = switchboard.app.get(MessageWorker, { strict: false });
  const delivery = switchboard.app.get(MessageDeliveryService, { strict: false });
  const claims = (await Promise.all(ids.map((id) => worker.claim(1, id)))).flat();
  expect(claims).toHaveLength(ids.length);
  await Promise.all(claims.map((claim) => delivery.deliver(claim, new AbortController().signal)));
  const statuses = ids.map(async (id) => (await read(id)).status);
  return (await Promise.all(statuses)).sort();
}

async function queue(contactId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.push((await send(acme, { contact_id: contactId })).id);
  }
  return ids;
}

interface PacedMessage {
  status: string;
  reason_code: string | null;
  held_until: string | null;
}
const read = async (id: string) => (await getMessage(acme, id)) as unknown as PacedMessage;

async function sendNow(contactId: string): Promise<PacedMessage & { id: string }> {
  const { id } = await send(acme, { contact_id: contactId });
  await deliver(id);
  return { id, ...(await read(id)) };
}

describe('quiet hours', () => {
  it('hold a message, and let it be sent when they end', async () => {
    await setRules({ quiet_hours: quietNow() });
    const { id: contactId } = await createContact(acme);
    const held = await sendNow(contactId);
    expect(held).toMatchObject({ status: 'held', reason_code: 'quiet_hours' });
    expect(Date.parse(held.held_until!)).toBeGreaterThan(Date.now() + 24 * 3_600_000);
    expect(await switchboard.app.get(MessageWorker, { strict: false }).claim(1, held.id)).toEqual(
      [],
    );
    // A worker that is too early holds the message again.
    await isDue(held.id);
    await deliver(held.id);
    expect((await read(held.id)).status).toBe('held');
    await setRules({ quiet_hours: quietLater() });
    await deliver(held.id);
    expect(await read(held.id)).toMatchObject({
      status: 'sent',
      reason_code: null,
      held_until: null,
    });
    const { value } = await acme.call<{ events: { status: string; reason: string | null }[] }>(
      'list_message_events',
      { message_id: held.id },
    );
    expect(value.events.map(({ status }) => status)).toEqual(['queued', 'held', 'sending', 'sent']);
    expect(value.events.map(({ reason }) => reason !== null)).toEqual([false, true, false, false]);
  });

  it('are local times in the time zone of the contact', async () => {
    // These two zones are a day apart, so the date of at least one zone differs from the date in UTC.
    const [row] = await switchboard.ownerQuery<{ early: number; late: number }>(
      `select extract(isodow from now() at time zone 'Etc/GMT+12')::int - 1 as early,
         extract(isodow from now() at time zone 'Pacific/Kiritimati')::int - 1 as late`,
    );
    const names = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
    const days = [names[row!.late]!];
    await setRules({ quiet_hours: { from: '00:00', to: '00:00', days } });
    const { id: late } = await createContact(acme, { timezone: 'Pacific/Kiritimati' });
    const { id: early } = await createContact(acme, { timezone: 'Etc/GMT+12' });
    expect(row!.early).not.toBe(row!.late);
    expect((await sendNow(late)).status).toBe('held');
    expect((await sendNow(early)).status).toBe('sent');
  });

  it('hold only the channels that they name, and e-mails without a topic only on request', async () => {
    const { id } = await createContact(acme);
    await setRules({ quiet_hours: { ...quietNow(), channels: ['sms'] } });
    expect((await sendNow(id)).status).toBe('sent');
    await setRules({ quiet_hours: quietNow(), transactional_email: false });
    expect((await sendNow(id)).status).toBe('sent');
    await setRules({ quiet_hours: quietNow() });
    expect((await sendNow(id)).status).toBe('held');
  });

  it('do not lead to sending a message whose address was suppressed in the meantime', async () => {
    const { id, email } = await createContact(acme);
    await setRules({ quiet_hours: quietNow() });
    const held = await sendNow(id);
    await acme.call('suppress_address', { address: email });
    await setRules({});
    await deliver(held.id);
    expect(await read(held.id)).toMatchObject({ status: 'suppressed', reason_code: 'suppressed' });
  });
});

describe('a held message', () => {
  it('can be canceled and is found by its status', async () => {
    await setRules({ quiet_hours: quietNow() });
    const { id } = await createContact(acme);
    const held = await sendNow(id);
    const listed = async (status: string) => {
      const { value } = await acme.call<{ messages: { id: string }[] }>('list_messages', {
        contact_id: id,
        status,
      });
      return value.messages.map((message) => message.id);
    };
    expect(await listed('held')).toEqual([held.id]);
    expect(await listed('pending')).toEqual([held.id]);
    await acme.call('cancel_message', { message_id: held.id });
    expect(await read(held.id)).toMatchObject({ status: 'canceled', held_until: null });
    await isDue(held.id);
    expect(await switchboard.app.get(MessageWorker, { strict: false }).claim(1, held.id)).toEqual(
      [],
    );
  });
});

describe('a cap', () => {
  const DAY = 24 * 3600;
  const cap = (most: number, rest: object = {}) => ({
    channel: 'email',
    most,
    window_seconds: DAY,
    ...rest,
  });

  it('holds messages above the cap until its window allows them, one after another', async () => {
    await setRules({ caps: [cap(2)] });
    const { id } = await createContact(acme);
    const first = await sendNow(id);
    expect(first.status).toBe('sent');
    expect((await sendNow(id)).status).toBe('sent');
    const waiting: (PacedMessage & { id: string })[] = [];
    for (let i = 0; i < 3; i += 1) waiting.push(await sendNow(id));
    expect(waiting.map(({ reason_code: code }) => code)).toEqual(Array(3).fill('frequency_cap'));
    const hours = waiting.map(({ held_until: until }) =>
      Math.round((Date.parse(until!) - Date.now()) / 3_600_000),
    );
    expect(hours).toEqual([24, 24, 48]);
    // The messages of another contact are counted separately.
    expect((await sendNow((await createContact(acme)).id)).status).toBe('sent');
    await switchboard.ownerQuery(
      `update messages set counted_at = counted_at - interval '1 day' where id = $1`,
      [first.id],
    );
    for (const { id: each } of waiting) {
      await isDue(each);
      await deliver(each);
    }
    const now = await Promise.all(waiting.map((each) => read(each.id)));
    expect(now.map(({ status }) => status)).toEqual(['sent', 'held', 'held']);
  });

  it('drops messages above the cap when on_cap is drop', async () => {
    await setRules({ caps: [cap(1, { on_cap: 'drop' })] });
    const { id } = await createContact(acme);
    expect((await sendNow(id)).status).toBe('sent');
    expect(await sendNow(id)).toMatchObject({
      status: 'suppressed',
      reason_code: 'frequency_cap',
      held_until: null,
    });
  });

  it('does not hold a message because of its own earlier attempt', async () => {
    await setRules({ caps: [cap(1)] });
    const { id } = await createContact(acme);
    const sent = await sendNow(id);
    await switchboard.ownerQuery(
      `update messages set status = 'sending', due_at = now(), lease_until = null where id = $1`,
      [sent.id],
    );
    await deliver(sent.id);
    expect((await read(sent.id)).status).toBe('sent');
  });

  it('does not count a message that failed', async () => {
    await setRules({ caps: [cap(1)] });
    const { id } = await createContact(acme);
    const failed = await sendNow(id);
    await acme.call('report_delivery', { message_id: failed.id, outcome: 'failed' });
    expect((await sendNow(id)).status).toBe('sent');
  });

  it('gives the place of a canceled message to the next message', async () => {
    await setRules({ caps: [cap(1)] });
    const { id } = await createContact(acme);
    await sendNow(id);
    const [next, last] = [await sendNow(id), await sendNow(id)];
    const until = Date.parse((await read(next.id)).held_until!);
    await acme.call('cancel_message', { message_id: next.id });
    await deliver(last.id);
    const moved = await read(last.id);
    expect(moved.status).toBe('held');
    expect(Date.parse(moved.held_until!)).toBe(until);
  });

  it('counts the messages of merged contacts together', async () => {
    await setRules({ caps: [cap(1)] });
    const { id: kept } = await createContact(acme);
    const { id: other } = await createContact(acme);
    await sendNow(other);
    await acme.call('merge_contacts', { contact_id: kept, other_id: other });
    expect((await sendNow(kept)).status).toBe('held');
  });

  it('holds all but one of five messages that a worker claims together when its limit is one', async () => {
    const { id } = await createContact(acme);
    const { id: other } = await createContact(acme);
    await setRules({ caps: [cap(1)] });
    const ids = [...(await queue(id, 5)), ...(await queue(other, 1))];
    expect(await deliverTogether(ids)).toEqual(['held', 'held', 'held', 'held', 'sent', 'sent']);
  });

  it('drops all but two of four messages that a worker claims together when its limit is two', async () => {
    const { id } = await createContact(acme);
    await setRules({ caps: [cap(2, { on_cap: 'drop' })] });
    const statuses = await deliverTogether(await queue(id, 4));
    expect(statuses).toEqual(['sent', 'sent', 'suppressed', 'suppressed']);
  });

  it('holds all but one of the messages that become due together when quiet hours end', async () => {
    const { id } = await createContact(acme);
    await setRules({ quiet_hours: quietNow(), caps: [cap(1)] });
    const ids = await queue(id, 4);
    expect(await deliverTogether(ids)).toEqual(['held', 'held', 'held', 'held']);
    await setRules({ caps: [cap(1)] });
    expect(await deliverTogether(ids)).toEqual(['held', 'held', 'held', 'sent']);
  });

  it('gives its last place to one of two attempts that begin at the same time', async () => {
    await setRules({ caps: [cap(1)] });
    const { id: contactId } = await createContact(acme);
    const [first, second] = [
      await send(acme, { contact_id: contactId }),
      await send(acme, { contact_id: contactId }),
    ];
    const tenants = switchboard.app.get(TenantDatabase);
    const pace = switchboard.app.get(PaceService, { strict: false });
    let finish!: () => void;
    const isFinishing = new Promise<void>((resolve) => (finish = resolve));
    let begun!: () => void;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const paced = { id: first.id, contactId, channel: 'email', topic: null };
    const slow = tenants.transaction(acme.id, async () => {
      const pause = await pace.decide(acme.id, paced);
      await tenants
        .session(acme.id)
        .query(`update messages set status = 'sending' where id = $1`, [first.id]);
      begun();
      await isFinishing;
      return pause;
    });
    await hasBegun;
    const other = deliver(second.id);
    // The second attempt waits for the first attempt, which may still use the last place of the cap.
    const isBlocked = waitFor(async () => {
      const rows = await switchboard.ownerQuery(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0 ? 'waits' : undefined;
    });
    const won = await Promise.race([isBlocked, other]).finally(finish);
    expect(won).toBe('waits');
    expect(await slow).toBeUndefined();
    await other;
    expect(await read(second.id)).toMatchObject({ status: 'held', reason_code: 'frequency_cap' });
  });

  it('whose window opens during quiet hours holds messages until these hours end', async () => {
    const hours = { from: '00:00', to: '00:00', days: [day(1), day(2)] };
    await setRules({ quiet_hours: hours, caps: [cap(1, { window_seconds: 129_600 })] });
    const { id } = await createContact(acme);
    await sendNow(id);
    const held = await sendNow(id);
    const until = new Date(held.held_until!);
    expect([until.getUTCHours(), until.getUTCMinutes()]).toEqual([0, 0]);
  });
});

describe('the sending rules', () => {
  it('are returned as they were set, and have defaults without a setting', async () => {
    const given = {
      timezone: 'Europe/Berlin',
      transactional_email: false,
      quiet_hours: { from: '21:30', to: '08:00', days: ['sun', 'mon'], channels: ['sms'] },
      caps: [{ channel: 'email', topic: null, most: 3, window_seconds: 604_800, on_cap: 'drop' }],
    };
    await setRules(given);
    const { value } = await acme.call<{ rules: object }>('get_sending_rules');
    expect(value.rules).toEqual({
      ...given,
      quiet_hours: { ...given.quiet_hours, days: ['mon', 'sun'] },
    });
    await acme.call('set_sending_rules');
    expect((await acme.call<{ rules: object }>('get_sending_rules')).value.rules).toEqual({
      timezone: 'UTC',
      transactional_email: false,
      quiet_hours: null,
      caps: [],
    });
  });

  it.each([
    { timezone: 'Mars/Olympus' },
    { timezone: '+02:00' },
    { timezone: "UTC' or true" },
    { quiet_hours: { from: '9:00', to: '08:00' } },
    { quiet_hours: { from: '24:00', to: '08:00' } },
    { quiet_hours: { from: '21:00', to: '21:00' } },
    { quiet_hours: { from: '21:00', to: '08:00', days: [] } },
    { quiet_hours: { from: '21:00', to: '08:00', days: ['monday'] } },
    { quiet_hours: { from: '21:00', to: '08:00', channels: ['pigeon'] } },
    { caps: [{ channel: 'pigeon', most: 1, window_seconds: 60 }] },
    { caps: [{ channel: 'email', most: 0, window_seconds: 60 }] },
    { caps: [{ channel: 'email', most: 1, window_seconds: 2_592_001 }] },
    { caps: Array.from({ length: 21 }, () => ({ channel: 'sms', most: 1, window_seconds: 60 })) },
  ])('cannot be %j', async (given) => {
    expect((await acme.call('set_sending_rules', given)).error?.code).toBe('invalid_arguments');
  });

  it('apply to their organization only', async () => {
    await setRules({ quiet_hours: quietNow() });
    const beta = await createOrganization(switchboard);
    const { value } = await beta.call<{ rules: { quiet_hours: object | null } }>(
      'get_sending_rules',
    );
    expect(value.rules.quiet_hours).toBeNull();
    const { id } = await send(beta, { contact_id: (await createContact(beta)).id });
    await deliver(id);
    expect((await getMessage(beta, id)).status).toBe('sent');
  });

  it('hold a message that was claimed before they were set', async () => {
    await setRules({});
    const { id } = await send(acme, { contact_id: (await createContact(acme)).id });
    const worker = switchboard.app.get(MessageWorker, { strict: false });
    const delivery = switchboard.app.get(MessageDeliveryService, { strict: false });
    const [claim] = await worker.claim(1, id);
    await setRules({ quiet_hours: quietNow() });
    await delivery.deliver(claim!, new AbortController().signal);
    expect((await read(id)).status).toBe('held');
  });
});

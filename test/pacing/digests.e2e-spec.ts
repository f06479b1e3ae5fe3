import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantDatabase } from '../../src/database/transactions/tenant-database.js';
import { MessageDeliveryService } from '../../src/messaging/message-delivery.service.js';
import { MessageDigestsService } from '../../src/messaging/message-digests.service.js';
import { MessageWorker } from '../../src/messaging/message.worker.js';
import { createContact, getMessage, readEml, type TestMessage } from '../messaging/support.js';
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

interface Added {
  message: TestMessage & { held_until: string | null };
  digest_count: number;
}
const BODY =
  '{{ first }}, {{ digest.count }}:{% for item in digest.items %} {{ item.number }}{% endfor %}';
const add = (contactId: string, variables: object, rest: object = {}, digest: object = {}) =>
  acme.call<Added>('send_message', {
    contact_id: contactId,
    subject: '{{ digest.count }} new',
    body: BODY,
    variables,
    digest: { key: 'orders', window_seconds: 3600, ...digest },
    ...rest,
  });
const numbered = async (contactId: string, number: number, digest: object = {}) =>
  (await add(contactId, { number }, {}, digest)).value;

async function deliver(id: string): Promise<void> {
  await switchboard.ownerQuery('update messages set due_at = now() where id = $1', [id]);
  const [claim] = await switchboard.app.get(MessageWorker, { strict: false }).claim(1, id);
  await switchboard.app
    .get(MessageDeliveryService, { strict: false })
    .deliver(claim!, new AbortController().signal);
}

describe('a digest', () => {
  it('is one message with the variables of all calls, sent when its window ends', async () => {
    const { id } = await createContact(acme);
    const first = (await add(id, { number: 1, first: 'Hi' })).value;
    expect(first).toMatchObject({
      digest_count: 1,
      message: { status: 'held', reason_code: 'digest', body: 'Hi, 1: 1', subject: '1 new' },
    });
    const inSeconds =
      (Date.parse(first.message.held_until!) - Date.parse(first.message.created_at)) / 1000;
    expect(Math.round(inSeconds)).toBe(3600);
    const second = (await add(id, { number: 2, first: 'No' }, { body: 'other' })).value;
    expect(second).toMatchObject({
      digest_count: 2,
      message: { id: first.message.id, body: 'Hi, 2: 1 2', subject: '2 new' },
    });
    await deliver(first.message.id);
    expect(await getMessage(acme, first.message.id)).toMatchObject({
      status: 'sent',
      reason_code: null,
    });
    const { text } = await readEml(switchboard, first.message.id);
    expect(text.trim()).toBe('Hi, 2: 1 2');
    // The next call begins a new message.
    const third = await numbered(id, 3);
    expect(third.message.id).not.toBe(first.message.id);
    expect(third.digest_count).toBe(1);
  });

  it('collects the variables of all calls that come at the same time', async () => {
    const { id } = await createContact(acme);
    const added = await Promise.all(
      Array.from({ length: 12 }, (_, number) => numbered(id, number)),
    );
    expect(new Set(added.map(({ message }) => message.id)).size).toBe(1);
    expect(added.map(({ digest_count: count }) => count).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, index) => index + 1),
    );
    const { body } = await getMessage(acme, added[0]!.message.id);
    expect(
      body
        .split(' ')
        .slice(2)
        .map(Number)
        .toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: 12 }, (_, number) => number));
  });

  it('is begun by one of two calls that come at the same time', async () => {
    const { id } = await createContact(acme);
    const digests = switchboard.app.get(MessageDigestsService, { strict: false });
    const request = {
      to: { contact_id: id },
      subject: 'New',
      body: BODY,
      variables: { number: 1 },
    };
    const digest = { key: 'orders', window_seconds: 3600, max_items: 100 };
    let finish!: () => void;
    const isFinishing = new Promise<void>((resolve) => (finish = resolve));
    let begin!: () => void;
    const hasBegun = new Promise<void>((resolve) => (begin = resolve));
    const slow = switchboard.app.get(TenantDatabase).transaction(acme.id, async () => {
      const { message } = await digests.add(acme.id, request, digest);
      begin();
      await isFinishing;
      return message.id;
    });
    await hasBegun;
    const other = numbered(id, 2);
    const isBlocked = waitFor(async () => {
      const rows = await switchboard.ownerQuery(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0 ? 'waits' : undefined;
    });
    const won = await Promise.race([isBlocked, other]).finally(finish);
    expect(won).toBe('waits');
    expect(await other).toMatchObject({ digest_count: 2, message: { id: await slow } });
  });

  it('is separate for each contact, channel, topic and key', async () => {
    const { id } = await createContact(acme, { phone: '+493012345678' });
    const { id: other } = await createContact(acme);
    const inTopics = new Map<string, string>();
    for (const topic of ['news', 'offers']) {
      await acme.call('create_topic', { name: topic, title: topic, default: 'opted_in' });
      inTopics.set(topic, (await add(id, { number: 1 }, { topic })).value.message.id);
    }
    const ids = [
      (await numbered(id, 1)).message.id,
      (await numbered(id, 1, { key: 'invoices' })).message.id,
      (await numbered(other, 1)).message.id,
      // A contact that has left a topic must not get messages of this topic in a digest of another topic.
      ...['news', 'offers'].map((topic) => inTopics.get(topic)!),
    ];
    expect(new Set(ids).size).toBe(5);
  });

  it('adds no second item for a repeated call with the same idempotency key', async () => {
    const { id } = await createContact(acme);
    const rest = { idempotency_key: `key-${id}` };
    const first = (await add(id, { number: 1 }, rest)).value;
    expect((await add(id, { number: 1 }, rest)).value).toEqual(first);
    expect((await numbered(id, 2)).digest_count).toBe(2);
  });

  it('is sent immediately when it is full', async () => {
    const { id } = await createContact(acme);
    const limits = { max_items: 2 };
    await numbered(id, 1, limits);
    const full = await numbered(id, 2, limits);
    expect(full).toMatchObject({
      digest_count: 2,
      message: { status: 'queued', held_until: null },
    });
    expect((await numbered(id, 3, limits)).digest_count).toBe(1);
    expect((await numbered(id, 3, { key: 'single', max_items: 1 })).message.status).toBe('queued');
  });

  it('is sent without an item that does not fit, and that item begins the next digest', async () => {
    const { id } = await createContact(acme);
    const long = { number: 'x'.repeat(150_000) };
    const first = (await add(id, long)).value;
    const next = (await add(id, long)).value;
    expect(next).toMatchObject({ digest_count: 1, message: { status: 'held' } });
    expect(next.message.id).not.toBe(first.message.id);
    expect(await getMessage(acme, first.message.id)).toMatchObject({ status: 'queued' });
  });

  it.each(['canceled', 'due'])('that is %s gets no more items', async (state) => {
    const { id } = await createContact(acme);
    const first = await numbered(id, 1);
    if (state === 'canceled') await acme.call('cancel_message', { message_id: first.message.id });
    else
      await switchboard.ownerQuery(
        `update messages set due_at = now() - interval '1 second' where id = $1`,
        [first.message.id],
      );
    const next = await numbered(id, 2);
    expect(next.digest_count).toBe(1);
    expect(next.message.id).not.toBe(first.message.id);
  });

  it('of a merged contact gets no items of the survivor, which has a different address', async () => {
    const survivor = await createContact(acme);
    const merged = await createContact(acme);
    const first = await numbered(merged.id, 1);
    await acme.call('merge_contacts', { contact_id: survivor.id, other_id: merged.id });
    const next = await numbered(survivor.id, 2);
    expect(next).toMatchObject({ digest_count: 1, message: { to: survivor.email } });
    expect(await numbered(merged.id, 3)).toMatchObject({
      digest_count: 2,
      message: { id: next.message.id },
    });
    expect(await getMessage(acme, first.message.id)).toMatchObject({
      to: merged.email,
      body: ', 1: 1',
      status: 'held',
    });
  });

  it('gets no items after the address of its contact changed', async () => {
    const { id } = await createContact(acme);
    const first = await numbered(id, 1);
    const email = `new-${id}@example.com`.toLowerCase();
    await acme.call('update_contact', { contact_id: id, email });
    const next = await numbered(id, 2);
    expect(next).toMatchObject({ digest_count: 1, message: { to: email } });
    expect((await getMessage(acme, first.message.id)).body).toBe(', 1: 1');
  });

  it.each([
    [{}, { key: '' }],
    [{}, { window_seconds: 0 }],
    [{}, { window_seconds: 604_801 }],
    [{}, { max_items: 101 }],
    [{ scheduled_at: '2030-01-01T00:00:00Z' }, {}],
    [{ variables: { number: 'x'.repeat(263_000) } }, {}],
    [{ body: '{% for %}' }, {}],
  ])('is refused with %j and %j', async (rest, digest) => {
    const { id } = await createContact(acme);
    expect((await add(id, {}, rest, digest)).error?.code).toBe('invalid_arguments');
  });
});

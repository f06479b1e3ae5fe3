import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createContact, send, type TestMessage, untilStatus } from './support.js';

interface Page {
  messages: TestMessage[];
  next_cursor: string | null;
}
interface Event {
  status: string;
  reason: string | null;
  attempts: number;
  at: string;
}
interface Counts {
  counts: { status: string; count: number }[];
  counted: number;
  is_complete: boolean;
}

const NEXT_YEAR = new Date(Date.now() + 300 * 86_400_000).toISOString();

describe('lists of messages', () => {
  let switchboard: RunningSwitchboard;
  let acme: TestOrganization;
  let sent: TestMessage;
  let canceled: TestMessage;
  let scheduled: TestMessage;
  let received: string;

  const ids = async (given: object): Promise<string[]> => {
    const { value, error } = await acme.call<Page>('list_messages', given);
    if (error) throw new Error(error.message);
    return value.messages.map(({ id }) => id);
  };
  const events = async (id: string): Promise<Event[]> =>
    (await acme.call<{ events: Event[] }>('list_message_events', { message_id: id })).value.events;

  beforeAll(async () => {
    switchboard = await sharedSwitchboard();
    acme = await createOrganization(switchboard);
    const ada = await createContact(acme);
    sent = await untilStatus(acme, (await send(acme, { contact_id: ada.id })).id, 'sent');
    canceled = await send(acme, { contact_id: ada.id, scheduled_at: NEXT_YEAR });
    await acme.call('cancel_message', { message_id: canceled.id });
    scheduled = await send(acme, { contact_id: ada.id, scheduled_at: NEXT_YEAR });
    const { value } = await acme.call<{ message: TestMessage }>('record_message', {
      contact_id: ada.id,
      channel: 'sms',
      body: 'Yes.',
    });
    received = value.message.id;
  });

  describe('list_messages', () => {
    it('filters by state, group of states, channel and time, newest first', async () => {
      expect(await ids({})).toEqual([received, scheduled.id, canceled.id, sent.id]);
      expect(await ids({ status: 'pending' })).toEqual([scheduled.id]);
      expect(await ids({ status: 'undelivered' })).toEqual([canceled.id]);
      expect(await ids({ channel: 'sms' })).toEqual([received]);
      expect(await ids({ channel: 'email', status: 'sent' })).toEqual([sent.id]);
      expect(await ids({ created_after: scheduled.created_at })).toEqual([received, scheduled.id]);
      expect(await ids({ created_before: scheduled.created_at })).toEqual([canceled.id, sent.id]);
    });

    it('keeps a filter from page to page', async () => {
      const given = { channel: 'email', limit: 2 };
      const { value } = await acme.call<Page>('list_messages', given);
      expect(value.messages.map(({ id }) => id)).toEqual([scheduled.id, canceled.id]);
      expect(await ids({ ...given, cursor: value.next_cursor })).toEqual([sent.id]);
    });

    it.each([{ status: 'lost' }, { channel: 'pigeon' }, { created_after: 'yesterday' }])(
      'refuses %j',
      async (given) => {
        expect((await acme.call('list_messages', given)).error!.code).toBe('invalid_arguments');
      },
    );
  });

  describe('count_messages', () => {
    it('counts the messages of each state, within a filter and an organization', async () => {
      const { value } = await acme.call<Counts>('count_messages', {});
      expect(value).toEqual({
        counts: [
          { status: 'scheduled', count: 1 },
          { status: 'sent', count: 1 },
          { status: 'canceled', count: 1 },
          { status: 'received', count: 1 },
        ],
        counted: 4,
        is_complete: true,
      });
      const texts = await acme.call<Counts>('count_messages', { channel: 'sms' });
      expect(texts.value.counts).toEqual([{ status: 'received', count: 1 }]);
      const globex = await createOrganization(switchboard);
      expect((await globex.call<Counts>('count_messages', {})).value.counted).toBe(0);
    });

    it('counts only the newest 10,000 messages, and reports this', async () => {
      const busy = await createOrganization(switchboard);
      await switchboard.ownerQuery(
        `insert into messages (organization_id, id, channel, direction, body, status)
         select $1, 'msg_' || n, 'email', 'outbound', 'x', 'sent' from generate_series(1, 10001) n`,
        [busy.id],
      );
      const { value } = await busy.call<Counts>('count_messages', {});
      expect(value).toMatchObject({ counted: 10_000, is_complete: false });
    });
  });

  describe('list_message_events', () => {
    it('lists every state that a message had, with its time and reason', async () => {
      expect((await events(sent.id)).map(({ status, attempts }) => [status, attempts])).toEqual([
        ['queued', 0],
        ['sending', 1],
        ['sent', 1],
      ]);
      expect(await events(canceled.id)).toMatchObject([
        { status: 'scheduled', reason: null },
        { status: 'canceled', reason: 'Canceled by dashboard.' },
      ]);
      expect(await events(received)).toMatchObject([{ status: 'received', attempts: 0 }]);
      const times = (await events(sent.id)).map(({ at }) => Date.parse(at));
      expect(times.toSorted((a, b) => a - b)).toEqual(times);
      expect(Math.abs(Date.now() - times[0]!)).toBeLessThan(60_000);
    });

    it('keeps the reasons of states that have passed', async () => {
      const ada = await createContact(acme);
      const first = await send(acme, { contact_id: ada.id });
      await untilStatus(acme, first.id, 'sent');
      const given = { message_id: first.id, outcome: 'bounced', reason: 'Mailbox is full' };
      await acme.call('report_delivery', given);
      expect((await events(first.id)).at(-1)).toMatchObject({
        status: 'failed',
        reason: 'The provider reported that the message bounced: Mailbox is full',
      });
    });

    it('returns the same error for a message of another organization and for an unknown id', async () => {
      const globex = await createOrganization(switchboard);
      const call = async (id: string) =>
        (await globex.call('list_message_events', { message_id: id })).error;
      expect(await call(sent.id)).toEqual(await call('msg_unknown'));
      expect(await call(sent.id)).toMatchObject({ code: 'not_found' });
    });

    it('lists no events of a deleted message, and SQL of a tenant cannot write events', async () => {
      const grants = await switchboard.ownerQuery<{ type: string }>(
        `select privilege_type as type from information_schema.role_table_grants
         where table_name = 'message_events' and grantee <> current_user`,
      );
      expect(new Set(grants.map(({ type }) => type))).toEqual(new Set(['SELECT']));
      await switchboard.ownerQuery('delete from messages where id = $1', [canceled.id]);
      const rows = await switchboard.ownerQuery(
        'select * from message_events where message_id = $1',
        [canceled.id],
      );
      expect(rows).toEqual([]);
    });
  });
});

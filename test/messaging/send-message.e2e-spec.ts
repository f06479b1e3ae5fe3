import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { itSlow, sample } from '../support/thorough.js';
import {
  createContact,
  getMessage,
  listOutbox,
  readEml,
  send,
  type TestMessage,
  untilStatus,
} from './support.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

describe('send_message', () => {
  it('accepts a message and writes it to a readable file', async () => {
    const contact = await createContact(acme, { first_name: 'Ada' });
    const message = await send(acme, {
      contact_id: contact.id,
      subject: 'Grüße',
      body: 'Hello,\n\n.one dot at the start\nünïcode 🎉\n',
    });
    expect(message).toMatchObject({
      contact_id: contact.id,
      to: contact.email,
      status: 'queued',
      subject: 'Grüße',
      run_id: null,
    });
    const sent = await untilStatus(acme, message.id, 'sent');
    expect(sent.sent_at).toMatch(/Z$/);
    expect(sent.status_reason).toBeNull();
    const { headers, text } = await readEml(switchboard, message.id);
    expect(headers.get('to')).toBe(contact.email);
    expect(headers.get('message-id')).toBe(`<${message.id}@localhost>`);
    expect(text.replaceAll('\r\n', '\n').trim()).toBe(
      'Hello,\n\n.one dot at the start\nünïcode 🎉',
    );
    expect((await listOutbox(switchboard)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('finds the contact by address in upper or lower case, and by phone', async () => {
    const contact = await createContact(acme, { phone: '+4930123456' });
    const byEmail = await send(acme, { email: contact.email.toUpperCase() });
    const byPhone = await send(acme, { phone: '+49 30 123456' });
    expect([byEmail.contact_id, byPhone.contact_id]).toEqual([contact.id, contact.id]);
  });

  it('renders templates when variables are given, and sends text literally otherwise', async () => {
    const { id } = await createContact(acme, { first_name: 'Ada {{ 7 | times: 6 }}' });
    const rendered = await send(acme, {
      contact_id: id,
      subject: 'Hi {{ contact.first_name }}',
      body: 'Code {{ code }}{% if vip %}!{% endif %}',
      variables: { code: '12', vip: true },
    });
    // The name of a contact is data: Liquid markup in it is not executed.
    expect(rendered.subject).toBe('Hi Ada {{ 7 | times: 6 }}');
    expect(rendered.body).toBe('Code 12!');
    const literal = await send(acme, { contact_id: id, body: 'Use {{ braces }} {% here' });
    expect(literal.body).toBe('Use {{ braces }} {% here');
    const empty = await send(acme, { contact_id: id, body: '[{{ missing }}]', variables: {} });
    expect(empty.body).toBe('[]');
  });

  it('does not let a variable replace the contact', async () => {
    const { id } = await createContact(acme);
    const message = await send(acme, {
      contact_id: id,
      body: '{{ contact.id }}',
      variables: { contact: { id: 'forged' } },
    });
    expect(message.body).toBe(id);
  });

  it('rejects U+0000 that a template produces', async () => {
    const contact = await createContact(acme);
    const { error } = await acme.call('send_message', {
      contact_id: contact.id,
      subject: 'Hello',
      body: "x{{ '%00' | url_decode }}",
      variables: {},
    });
    expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path: 'body' }] });
  });

  it('rejects a contact that has denied consent to the channel', async () => {
    const { id } = await createContact(acme, { consent: { email: 'denied' } });
    const { error } = await acme.call('send_message', { contact_id: id, subject: 'a', body: 'b' });
    expect(error?.code).toBe('no_consent');
  });

  it('does not send a scheduled message after consent was withdrawn', async () => {
    const { id } = await createContact(acme);
    const message = await send(acme, { contact_id: id, scheduled_at: inAnHour() });
    await acme.call('update_contact', { contact_id: id, consent: { email: 'denied' } });
    await makeDue(message.id);
    const canceled = await untilStatus(acme, message.id, 'canceled');
    expect(canceled.status_reason).toMatch(/consent/);
    expect(await listOutbox(switchboard)).not.toContain(`${message.id}.eml`);
  });

  itSlow('keeps the message of a deleted contact, and does not send it', async () => {
    const { id } = await createContact(acme);
    const message = await send(acme, { contact_id: id, scheduled_at: inAnHour() });
    await acme.call('delete_contact', { contact_id: id });
    await makeDue(message.id);
    const canceled = await untilStatus(acme, message.id, 'canceled');
    expect(canceled).toMatchObject({ contact_id: null, status_reason: 'The contact was deleted.' });
  });

  it('names the argument that does not match any contact', async () => {
    const content = { subject: 'Hello', body: 'Hello' };
    for (const to of [{ contact_id: 'con_nobody' }, { phone: '+4930999999' }]) {
      const { error } = await acme.call('send_message', { ...to, ...content });
      const details = [{ path: Object.keys(to)[0], message: 'belongs to no contact' }];
      expect(error).toMatchObject({ code: 'not_found', details });
    }
  });

  it.each(
    sample<[string, Record<string, unknown>, string]>(
      [
        ['no addressee', { contact_id: undefined }, 'invalid_arguments'],
        ['two addressees', { email: 'a@example.com' }, 'invalid_arguments'],
        ['an unknown contact', { contact_id: 'con_nobody' }, 'not_found'],
        ['an unknown address', { contact_id: undefined, email: 'nobody@x.example' }, 'not_found'],
        ['an impossible address', { contact_id: undefined, email: 'not an address' }, 'not_found'],
        ['an unknown phone', { contact_id: undefined, phone: '+4930999999' }, 'not_found'],
        ['an impossible phone', { contact_id: undefined, phone: '110' }, 'invalid_arguments'],
        ['the sms channel', { channel: 'sms' }, 'invalid_arguments'],
        ['the webhook channel', { channel: 'webhook' }, 'invalid_arguments'],
        ['an unknown channel', { channel: 'pigeon' }, 'invalid_arguments'],
        ['a template beside texts', { template_id: 'tpl_1' }, 'invalid_arguments'],
        ['no body', { body: undefined }, 'invalid_arguments'],
        ['an empty body', { body: '' }, 'invalid_arguments'],
        ['no subject', { subject: undefined }, 'invalid_arguments'],
        ['an empty subject', { subject: ' ' }, 'invalid_arguments'],
        ['a header in the subject', { subject: 'a\r\nBcc: b@example.com' }, 'invalid_arguments'],
        ['a bidi control in the subject', { subject: 'a\u202eb' }, 'invalid_arguments'],
        ['a line feed in the subject', { subject: 'a\nb' }, 'invalid_arguments'],
        ['a line separator in the subject', { subject: 'a\u2028b' }, 'invalid_arguments'],
        ['a long subject', { subject: 'x'.repeat(501) }, 'invalid_arguments'],
        ['a body of too many bytes', { body: 'ü'.repeat(140_000) }, 'invalid_arguments'],
        ['a body of too many characters', { body: 'x'.repeat(262_145) }, 'invalid_arguments'],
        ['U+0000', { body: 'a\0b' }, 'invalid_arguments'],
        ['a lone surrogate', { body: 'a\ud800b' }, 'invalid_arguments'],
        ['a broken template', { body: '{% if %}', variables: {} }, 'invalid_arguments'],
        [
          'an endless template',
          { body: '{% for i in (1..9999999999) %}{% endfor %}', variables: {} },
          'invalid_arguments',
        ],
        [
          'a header by variable',
          { subject: '{{ x }}', variables: { x: 'a\nBcc: b' } },
          'invalid_arguments',
        ],
        ['variables that are a list', { variables: [] }, 'invalid_arguments'],
        ['a time without zone', { scheduled_at: '2030-01-01T00:00:00' }, 'invalid_arguments'],
        ['a date', { scheduled_at: '2030-01-01' }, 'invalid_arguments'],
        [
          'a time that does not exist',
          { scheduled_at: '2027-02-30T00:00:00Z' },
          'invalid_arguments',
        ],
        ['a time in ten years', { scheduled_at: '2099-01-01T00:00:00Z' }, 'invalid_arguments'],
        ['no time at all', { scheduled_at: 'tomorrow' }, 'invalid_arguments'],
        ['a long key', { idempotency_key: 'k'.repeat(256) }, 'invalid_arguments'],
        ['an empty key', { idempotency_key: '' }, 'invalid_arguments'],
        ['an unknown argument', { priority: 1 }, 'invalid_arguments'],
      ],
      3,
    ),
  )('rejects %s', async (_what, fields, code) => {
    const { id } = await createContact(acme);
    const given = { contact_id: id, subject: 'a', body: 'b', ...fields };
    const { error } = await acme.call('send_message', given);
    expect(error?.code).toBe(code);
  });

  it('rejects a contact without an e-mail address', async () => {
    const { id } = await createContact(acme, { email: undefined, external_id: 'x-1' });
    const { error } = await acme.call('send_message', { contact_id: id, subject: 'a', body: 'b' });
    expect(error?.code).toBe('invalid_arguments');
  });

  it('cannot reach the contacts and messages of another organization', async () => {
    const other = await createOrganization(switchboard);
    const contact = await createContact(acme);
    const message = await send(acme, { contact_id: contact.id });
    for (const addressee of [{ contact_id: contact.id }, { email: contact.email }]) {
      const { error } = await other.call('send_message', { ...addressee, subject: 'a', body: 'b' });
      expect(error?.code).toBe('not_found');
    }
    for (const tool of ['get_message', 'cancel_message']) {
      const foreign = await other.call(tool, { message_id: message.id });
      const unknown = await other.call(tool, { message_id: 'msg_unknown' });
      expect(foreign.error).toEqual(unknown.error);
      expect(foreign.error?.code).toBe('not_found');
    }
    const { value } = await other.call<{ messages: unknown[] }>('list_messages', {
      contact_id: contact.id,
    });
    expect(value.messages).toEqual([]);
  });
});

describe('idempotency_key', () => {
  it('returns the first message when the call is repeated', async () => {
    const { id } = await createContact(acme);
    const given = { contact_id: id, idempotency_key: 'order-1' };
    const first = await send(acme, given);
    expect(first.idempotency_key).toBe('order-1');
    expect(await send(acme, given)).toEqual(first);
    const { error } = await acme.call('send_message', {
      ...given,
      subject: 'Hello',
      body: 'Something else.',
    });
    expect(error?.code).toBe('idempotency_mismatch');
    expect(await countFor(id)).toBe(1);
  });

  it('creates one message for ten simultaneous calls', async () => {
    const { id } = await createContact(acme);
    const calls = Array.from({ length: 10 }, () =>
      send(acme, { contact_id: id, idempotency_key: 'order-2' }),
    );
    const ids = new Set((await Promise.all(calls)).map((message) => message.id));
    expect(ids.size).toBe(1);
    expect(await countFor(id)).toBe(1);
  });
});

describe('cancel_message', () => {
  it('prevents a scheduled message from being sent, and can be repeated', async () => {
    const { id } = await createContact(acme);
    const message = await send(acme, { contact_id: id, scheduled_at: inAnHour() });
    expect(message.status).toBe('scheduled');
    for (let call = 0; call < 2; call += 1) {
      const { value } = await acme.call<{ message: TestMessage }>('cancel_message', {
        message_id: message.id,
      });
      expect(value.message.status).toBe('canceled');
    }
    await makeDue(message.id);
    // A later message was sent, so the worker has looked for due messages in the meantime.
    await untilStatus(acme, (await send(acme, { contact_id: id })).id, 'sent');
    expect(await getMessage(acme, message.id)).toMatchObject({ status: 'canceled', sent_at: null });
    expect(await listOutbox(switchboard)).not.toContain(`${message.id}.eml`);
  });

  it('answers conflict for a message that was sent', async () => {
    const { id } = await createContact(acme);
    const message = await send(acme, { contact_id: id });
    await untilStatus(acme, message.id, 'sent');
    const { error } = await acme.call('cancel_message', { message_id: message.id });
    expect(error?.code).toBe('conflict');
  });
});

describe('scheduled_at', () => {
  itSlow('sends the message at its time and not before', async () => {
    const { id } = await createContact(acme);
    const at = new Date(Date.now() + 1500);
    const message = await send(acme, { contact_id: id, scheduled_at: at.toISOString() });
    expect(message).toMatchObject({ status: 'scheduled', scheduled_at: at.toISOString() });
    const sent = await untilStatus(acme, message.id, 'sent');
    expect(new Date(sent.sent_at!).getTime()).toBeGreaterThanOrEqual(at.getTime());
  });

  it('sends a message with a past time immediately', async () => {
    const { id } = await createContact(acme);
    const message = await send(acme, { contact_id: id, scheduled_at: '2020-01-01T00:00:00+02:00' });
    expect(message.status).toBe('queued');
    await untilStatus(acme, message.id, 'sent');
  });
});

describe('list_messages', () => {
  it('returns every message once over all pages, newest first', async () => {
    const beta = await createOrganization(switchboard);
    const { id } = await createContact(beta);
    const made: string[] = [];
    for (let index = 0; index < 7; index += 1) made.push((await send(beta, { contact_id: id })).id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const given: Record<string, unknown> = { limit: 3, ...(cursor && { cursor }) };
      const { value } = await beta.call<{ messages: TestMessage[]; next_cursor: string | null }>(
        'list_messages',
        given,
      );
      seen.push(...value.messages.map((message) => message.id));
      cursor = value.next_cursor;
    } while (cursor);
    expect(seen.toSorted()).toEqual(made.toSorted());
    expect(seen[0]).toBe(made.at(-1));
  });

  it('filters by contact, status and run', async () => {
    const [a, b] = [await createContact(acme), await createContact(acme)];
    const sent = await send(acme, { contact_id: a.id });
    await untilStatus(acme, sent.id, 'sent');
    const waiting = await send(acme, { contact_id: a.id, scheduled_at: inAnHour() });
    await send(acme, { contact_id: b.id });
    expect(await idsOf({ contact_id: a.id })).toEqual([waiting.id, sent.id]);
    expect(await idsOf({ contact_id: a.id, status: 'scheduled' })).toEqual([waiting.id]);
    expect(await idsOf({ run_id: 'run_unknown' })).toEqual([]);
    await switchboard.ownerQuery('update messages set run_id = $2 where id = $1', [
      sent.id,
      'run_1',
    ]);
    expect(await idsOf({ run_id: 'run_1' })).toEqual([sent.id]);
  });

  it.each([
    ['junk', { cursor: '%%%' }],
    ['JSON that is not a cursor', { cursor: Buffer.from('[1,2]').toString('base64url') }],
    [
      'a time out of range',
      { cursor: Buffer.from('["2026-99-99T00:00:00.000Z","a"]').toString('base64url') },
    ],
    [
      'U+0000',
      { cursor: Buffer.from('["2026-01-01T00:00:00.000Z","\\u0000"]').toString('base64url') },
    ],
    ['an unknown status', { status: 'lost' }],
    ['a limit of 0', { limit: 0 }],
    ['a limit of 101', { limit: 101 }],
  ])('rejects %s', async (_what, given) => {
    const { error } = await acme.call('list_messages', given);
    expect(error?.code).toBe('invalid_arguments');
  });
});

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

async function makeDue(id: string): Promise<void> {
  await switchboard.ownerQuery('update messages set due_at = now() where id = $1', [id]);
}

async function countFor(contactId: string): Promise<number> {
  const rows = await switchboard.ownerQuery('select from messages where contact_id = $1', [
    contactId,
  ]);
  return rows.length;
}

async function idsOf(filter: Record<string, unknown>): Promise<string[]> {
  const { value } = await acme.call<{ messages: TestMessage[] }>('list_messages', filter);
  return value.messages.map((message) => message.id);
}

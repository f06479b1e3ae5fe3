import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { parseMime } from './parse-mime.js';
import { createContact, send, untilStatus } from './support.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
let contactId: string;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  ({ id: contactId } = await createContact(acme));
});

async function sentHeaders(fields: Record<string, unknown>): Promise<ReadonlyMap<string, string>> {
  const { id } = await send(acme, { contact_id: contactId, ...fields });
  await untilStatus(acme, id, 'sent');
  const file = join(switchboard.dataDir, 'outbox', `${id}.eml`);
  return parseMime(await readFile(file, 'utf8')).headers;
}

async function faultOf(organization: TestOrganization, fields: object): Promise<unknown> {
  const contact = await createContact(organization);
  const given = { contact_id: contact.id, subject: 'a', body: 'b', ...fields };
  return (await organization.call('send_message', given)).error;
}

describe('reply_to of send_message', () => {
  it('is the header Reply-To, with or without a name', async () => {
    const plain = await sentHeaders({ reply_to: 'Help@Acme.example' });
    expect(plain.get('reply-to')).toBe('help@acme.example');
    const named = await sentHeaders({ reply_to: '"Acme, Help" <help@acme.example>' });
    expect(named.get('reply-to')).toBe('"Acme, Help" <help@acme.example>');
    expect((await sentHeaders({})).has('reply-to')).toBe(false);
  });

  it.each([
    ['two addresses', 'a@acme.example, b@acme.example'],
    ['a line break', 'A\r\nBcc: eve@evil.example <a@acme.example>'],
    ['a bidi control', '\u202eA <a@acme.example>'],
    ['no address', 'help'],
  ])('rejects %s', async (_case, replyTo) => {
    const fault = await faultOf(acme, { reply_to: replyTo });
    expect(fault).toMatchObject({ code: 'invalid_arguments', details: [{ path: 'reply_to' }] });
  });

  it('is refused by a channel that carries no headers', async () => {
    await acme.call('create_channel_provider', {
      channel: 'webhook',
      kind: 'standard_webhooks',
      secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
    });
    const { id } = await createContact(acme, { properties: { webhook_url: 'https://a.example' } });
    const { error } = await acme.call('send_message', {
      contact_id: id,
      channel: 'webhook',
      body: 'b',
      reply_to: 'help@acme.example',
    });
    expect(error).toMatchObject({ details: [{ path: 'reply_to' }] });
  });
});

describe('in_reply_to of send_message', () => {
  it('continues the conversation of an earlier message, even a long one', async () => {
    let previous = await send(acme, { contact_id: contactId });
    const ids = [`<${previous.id}@localhost>`];
    for (let answer = 0; answer < 22; answer += 1) {
      previous = await send(acme, {
        contact_id: contactId,
        in_reply_to: previous.id,
        scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
      });
      ids.push(`<${previous.id}@localhost>`);
    }
    const headers = await sentHeaders({ in_reply_to: previous.id });
    expect(headers.get('in-reply-to')).toBe(ids.at(-1));
    expect(headers.get('references')).toBe(ids.slice(-20).join(' '));
  });

  it('answers a recorded message by its Message-ID', async () => {
    const { value } = await acme.call<{ message: { id: string } }>('record_message', {
      contact_id: contactId,
      body: 'When?',
      external_id: '<CAF+1@mail.example>',
    });
    const headers = await sentHeaders({ in_reply_to: value.message.id });
    expect(headers.get('in-reply-to')).toBe('<CAF+1@mail.example>');
    expect(headers.get('references')).toBe('<CAF+1@mail.example>');
  });

  it('rejects a recorded message whose Message-ID is missing or unsafe in a header', async () => {
    for (const externalId of ['SM5f2c1b', '<a@b>\r\nBcc: <c@d>', '<a@b> <c@d>']) {
      const { value } = await acme.call<{ message: { id: string } }>('record_message', {
        contact_id: contactId,
        body: 'When?',
        external_id: externalId,
      });
      const fault = await faultOf(acme, { in_reply_to: value.message.id });
      expect(fault).toMatchObject({ details: [{ path: 'in_reply_to' }] });
    }
  });

  it('gives the same error for a message of another organization and for an unknown id', async () => {
    const other = await createOrganization(switchboard);
    const { id } = await send(acme, { contact_id: contactId });
    const fault = await faultOf(other, { in_reply_to: id });
    expect(fault).toEqual(await faultOf(other, { in_reply_to: 'msg_unknown' }));
    expect(fault).toMatchObject({ details: [{ path: 'in_reply_to' }] });
  });
});

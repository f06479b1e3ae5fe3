import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard, type RunningSwitchboard } from '../support/switchboard.js';
import { leavesOf, type MimePart, parseMime } from './parse-mime.js';
import { createContact, send, type TestMessage, untilStatus } from './support.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
});

async function sentMail(message: TestMessage): Promise<MimePart> {
  await untilStatus(acme, message.id, 'sent');
  return parseMime(
    await readFile(join(switchboard.dataDir, 'outbox', `${message.id}.eml`), 'utf8'),
  );
}

describe('send_message with html', () => {
  it('sends the text and the HTML as alternatives', async () => {
    const { id } = await createContact(acme);
    const html = '<p>Grüße, <b>Ada</b> 🎉</p>\n<p>.one dot</p>';
    const message = await send(acme, { contact_id: id, body: 'Grüße, Ada', html });
    expect(message).toMatchObject({ body: 'Grüße, Ada', has_html: true });
    const mail = await sentMail(message);
    expect(mail.type).toBe('multipart/alternative');
    const [text, page] = leavesOf(mail);
    expect([text!.type, text!.content.toString()]).toEqual(['text/plain', 'Grüße, Ada']);
    expect([page!.type, page!.content.toString()]).toEqual([
      'text/html',
      html.replace('\n', '\r\n'),
    ]);
  });

  it('derives the text from the HTML when there is no body', async () => {
    const { id } = await createContact(acme);
    const html = '<h1>Your order</h1><p>See <a href="https://shop.example/1">it</a>.</p>';
    const message = await send(acme, { contact_id: id, body: undefined, html });
    expect(message.body).toBe('Your order\n\nSee it (https://shop.example/1).');
    const [text] = leavesOf(await sentMail(message));
    expect(text!.content.toString()).toBe(message.body.replaceAll('\n', '\r\n'));
  });

  it('sends a message without HTML as text alone', async () => {
    const { id } = await createContact(acme);
    const message = await send(acme, { contact_id: id });
    expect(message).toMatchObject({ has_html: false });
    expect((await sentMail(message)).type).toBe('text/plain');
  });

  it('escapes the values of templates, except after the filter raw, and leaves the plain text as it is', async () => {
    const { id } = await createContact(acme, { first_name: '<img src=x>' });
    const message = await send(acme, {
      contact_id: id,
      body: 'Hi {{ contact.first_name }}',
      html: '<p title="{{ quoted }}">{{ contact.first_name }}|{{ list }}|{{ data }}|{{ rich | raw }}|{% echo quoted %}</p>',
      variables: { quoted: `"'&`, list: ['<', '>'], data: { a: '<' }, rich: '<i>x</i>' },
    });
    expect(message.body).toBe('Hi <img src=x>');
    const [, page] = leavesOf(await sentMail(message));
    expect(page!.content.toString()).toBe(
      '<p title="&quot;&#39;&amp;">&lt;img src=x&gt;|&lt;&gt;|{&quot;a&quot;:&quot;&lt;&quot;}|<i>x</i>|&quot;&#39;&amp;</p>',
    );
  });

  it('derives the text from the rendered HTML, so markup in a value stays visible text', async () => {
    const { id } = await createContact(acme, { first_name: '<b>Ada</b>' });
    const message = await send(acme, {
      contact_id: id,
      body: undefined,
      html: '<p>Hi {{ contact.first_name }}</p>',
      variables: {},
    });
    expect(message.body).toBe('Hi <b>Ada</b>');
  });

  it('lists whether messages have HTML', async () => {
    const { id } = await createContact(acme);
    await send(acme, { contact_id: id, html: '<p>a</p>' });
    const { value } = await acme.call<{ messages: object[] }>('list_messages', { contact_id: id });
    expect(value.messages).toMatchObject([{ has_html: true }]);
  });

  it('shows the HTML as a page that can neither run scripts nor load anything', async () => {
    const { id } = await createContact(acme);
    const html = '<p>Hello <b>Ada</b></p><script>alert(1)</script>';
    const message = await send(acme, { contact_id: id, html });
    const response = await acme.fetch(`/api/messages/${message.id}/preview`);
    expect(await response.text()).toBe(html);
    expect(response.headers.get('content-security-policy')).toMatch(
      /^sandbox; default-src 'none'; /,
    );
    expect(response.headers.get('x-dns-prefetch-control')).toBe('off');
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no body and no HTML', { html: undefined }, 'body'],
    ['empty HTML', { html: ' ' }, 'html'],
    ['HTML without a text', { html: '<img src=x>' }, 'body'],
    ['an empty body', { body: '', html: '<p>a</p>' }, 'body'],
    ['too many bytes', { body: 'a', html: 'ü'.repeat(260_000) }, 'html'],
    ['too many characters', { body: 'a', html: 'x'.repeat(512_001) }, 'html'],
    ['a text of too many bytes', { html: 'ü'.repeat(140_000) }, 'body'],
    ['U+0000', { html: 'a\0b' }, 'html'],
    ['a lone surrogate', { html: 'a\ud800b' }, 'html'],
    ['U+0000 by a template', { html: "x{{ '%00' | url_decode }}", variables: {} }, 'html'],
  ])('rejects %s', async (_case, fields, path) => {
    const { id } = await createContact(acme);
    const given = { contact_id: id, subject: 'a', ...fields };
    const { error } = await acme.call('send_message', given);
    expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path }] });
  });

  it.each([
    ['a broken template', { html: '{% if %}', variables: {} }],
    [
      'HTML with a longer text than a message has',
      { html: `${'<blockquote>'.repeat(9)}<pre>${'a\n'.repeat(100_000)}` },
    ],
    ['the filter raw outside of HTML', { html: '<p>a</p>', body: '{{ 1 | raw }}', variables: {} }],
  ])('rejects %s', async (_case, fields) => {
    const { id } = await createContact(acme);
    const { error } = await acme.call('send_message', { contact_id: id, subject: 'a', ...fields });
    expect(error?.code).toBe('invalid_arguments');
  });

  it('is refused by a channel that carries no HTML', async () => {
    const { id } = await createContact(acme, {
      properties: { webhook_url: 'https://hooks.example/1' },
    });
    const given = { contact_id: id, channel: 'webhook', body: 'a', html: '<p>a</p>' };
    await acme.call('create_channel_provider', {
      channel: 'webhook',
      kind: 'standard_webhooks',
      secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
    });
    const { error } = await acme.call('send_message', given);
    expect(error).toMatchObject({
      message: 'html must be absent, because webhook does not carry it.',
      details: [{ path: 'html' }],
    });
  });
});

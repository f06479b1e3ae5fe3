import { beforeAll, describe, expect, it } from 'vitest';
import { createContact, getMessage, readEml, untilStatus } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { sample } from '../support/thorough.js';
import { createTemplate, publish, published, unique } from './template.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
let other: TestOrganization;

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  other = await createOrganization(switchboard);
});

interface Sent {
  message: {
    id: string;
    subject: string | null;
    body: string;
    status: string;
    template_id: string | null;
    template_version: number | null;
    locale: string | null;
  };
  digest_count?: number;
}
const VARIABLES = [
  { name: 'code', type: 'text' },
  { name: 'items', type: 'list', default: ['one'] },
];
const email = (word: string) => ({
  email: { subject: `${word} {{ code }}`, text: `${word} {{ code }}` },
});

async function orderTemplate(): Promise<{ id: string; name: string }> {
  const variants = {
    en: { ...email('Order'), sms: { text: 'Order {{ code }}' } },
    pt: email('Pedido'),
    de: { sms: { text: 'Bestellung {{ code }}' } },
  };
  return (await published(acme, { variables: VARIABLES, variants })).template;
}

function sending(given: object) {
  return acme.call<Sent>('send_message', given);
}

async function sent(given: object): Promise<Sent['message']> {
  const { value, error } = await sending(given);
  if (error) throw new Error(`${error.code}: ${error.message}`);
  return value.message;
}

/** Creates a template for e-mail with this text, and publishes it. */
async function plain(text: string, variables: object[] = VARIABLES, subject = 'Hello') {
  const variants = { en: { email: { subject, text } } };
  return (await published(acme, { variables, variants })).template;
}

describe('a message of a template', () => {
  it('has the subject, HTML and text of the template, and names its version', async () => {
    const html =
      '<style>b { color: red }</style><p>Order <b>{{ contact.first_name | default: "you" }}</b>: {{ code }}</p>';
    const variants = { en: { email: { subject: 'Order {{ code }}', html } } };
    const { id, name } = (await published(acme, { variables: VARIABLES, variants })).template;
    const contact = await createContact(acme, { first_name: 'A & <b>' });
    const given = { contact_id: contact.id, variables: { code: '<17>' } };
    const message = await sent({ ...given, template_id: name });
    expect(message).toMatchObject({
      subject: 'Order <17>',
      body: 'Order A & <b>: <17>',
      template_id: id,
      template_version: 1,
      locale: 'en',
    });
    await untilStatus(acme, message.id, 'sent');
    const response = await acme.fetch(`/api/messages/${message.id}/preview`);
    const shown = await response.text();
    expect(shown).toContain('<b style="color: red;">A &amp; &lt;b&gt;</b>: &lt;17&gt;');
    // The id of a template works like its name.
    expect(await sent({ ...given, template_id: id })).toMatchObject({ template_id: id });
  });

  it.each([
    ['pt-BR', 'pt', 'Pedido'],
    ['pt', 'pt', 'Pedido'],
    // The German variant has no e-mail.
    ['de-AT', 'en', 'Order'],
    [undefined, 'en', 'Order'],
  ])('to a contact with the locale %s has the locale %s', async (locale, chosen, word) => {
    const { name } = await orderTemplate();
    const contact = await createContact(acme, { ...(locale && { locale }) });
    const message = await sent({
      contact_id: contact.id,
      template_id: name,
      variables: { code: '1' },
    });
    expect(message).toMatchObject({ locale: chosen, subject: `${word} 1` });
  });

  it('has the default locale of the organization rather than the first locale of the template', async () => {
    const beta = await createOrganization(switchboard);
    const variants = {
      en: { email: { subject: 'a', text: 'a' } },
      fr: { email: { subject: 'b', text: 'b' } },
    };
    const { template } = await published(beta, { variants });
    await beta.call('set_contact_settings', { default_locale: 'fr-CA' });
    const contact = await createContact(beta);
    const given = { contact_id: contact.id, template_id: template.id };
    const { value } = await beta.call<Sent>('send_message', given);
    expect(value.message).toMatchObject({ locale: 'fr' });
  });

  it('keeps the version that was published when the message was accepted', async () => {
    const { id } = await plain('First {{ code }}');
    const contact = await createContact(acme);
    const later = await sent({
      contact_id: contact.id,
      template_id: id,
      variables: { code: '1' },
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const variants = { en: { email: { subject: 'Hello', text: 'Second {{ code }}' } } };
    await acme.call('update_template', { template_id: id, variants });
    // A draft is never sent.
    const draft = await sent({ contact_id: contact.id, template_id: id, variables: { code: '2' } });
    expect(draft).toMatchObject({ body: 'First 2', template_version: 1 });
    await publish(acme, id);
    const next = await sent({ contact_id: contact.id, template_id: id, variables: { code: '3' } });
    expect(next).toMatchObject({ body: 'Second 3', template_version: 2 });
    expect(await getMessage(acme, later.id)).toMatchObject({
      body: 'First 1',
      template_version: 1,
    });
  });

  it('has links by which the contact leaves its topic', async () => {
    const { id } = await plain('{{ unsubscribe_url }} {{ preferences_url }}', []);
    await acme.call('create_topic', {
      name: 'template_news',
      title: 'News',
      default: 'opted_in',
    });
    const contact = await createContact(acme);
    const { body } = await sent({
      contact_id: contact.id,
      template_id: id,
      topic: 'template_news',
    });
    expect(body).toMatch(/\/u\/\S+ \S+\/preferences\/\S+$/);
  });

  it('stays when its template is deleted', async () => {
    const { id } = await plain('Text');
    const contact = await createContact(acme);
    const message = await sent({
      contact_id: contact.id,
      template_id: id,
      variables: { code: '1' },
    });
    await acme.call('delete_template', { template_id: id });
    expect(await getMessage(acme, message.id)).toMatchObject({ body: 'Text', template_id: id });
    const { error } = await sending({ contact_id: contact.id, template_id: id });
    expect(error?.code).toBe('not_found');
    await untilStatus(acme, message.id, 'sent');
    expect((await readEml(switchboard, message.id)).text.trim()).toBe('Text');
  });
});

describe('a template in a call', () => {
  it.each<[string, object | undefined, object[]]>([
    [
      'a variable that is missing',
      undefined,
      [{ path: 'variables.code', message: 'has no value and no default' }],
    ],
    [
      'an unknown variable',
      { code: '1', itmes: [] },
      [
        {
          path: 'variables.itmes',
          message: 'is not a variable of the template. Did you mean items?',
        },
      ],
    ],
    [
      'a value of another type',
      { code: '1', items: 'one' },
      [{ path: 'variables.items', message: 'must be a list' }],
    ],
    [
      'a name of the message itself',
      { code: '1', contact: {}, digest: {} },
      [{ path: 'variables.contact' }, { path: 'variables.digest' }],
    ],
    ['no value for a member of every object', { toString: '1' }, [{}, {}]],
  ])('is refused with %s', async (_, variables, details) => {
    const { name } = await orderTemplate();
    const contact = await createContact(acme);
    const { error } = await sending({ contact_id: contact.id, template_id: name, variables });
    expect(error).toMatchObject({ code: 'invalid_arguments', details });
  });

  it.each<[string, object, string, string?]>([
    ['an unknown name', { template_id: 'no_such_template' }, 'not_found'],
    ['a subject', { subject: 'x' }, 'invalid_arguments', 'subject'],
    ['a body', { body: 'x' }, 'invalid_arguments', 'body'],
    ['HTML', { html: '<p>x</p>' }, 'invalid_arguments', 'html'],
  ])('is refused with %s', async (_, more, code, path) => {
    const { name } = await orderTemplate();
    const contact = await createContact(acme);
    const variables = { code: '1' };
    const given = { contact_id: contact.id, template_id: name, variables, ...more };
    const { error } = await sending(given);
    expect(error).toMatchObject({ code, ...(path !== undefined && { details: [{ path }] }) });
  });

  it('is refused before its first version is published', async () => {
    const { id } = await createTemplate(acme, { variants: { en: email('Draft') } });
    const contact = await createContact(acme);
    const { error } = await sending({ contact_id: contact.id, template_id: id });
    expect(error?.code).toBe('conflict');
  });

  it('is refused when it belongs to another organization', async () => {
    const { id, name } = await orderTemplate();
    const contact = await createContact(other);
    for (const template_id of [id, name]) {
      const given = { contact_id: contact.id, template_id, variables: { code: '1' } };
      const { error } = await other.call('send_message', given);
      expect(error?.code).toBe('not_found');
    }
  });

  it.each(
    sample(
      [
        ['a line break', 'a\r\nBcc: b@example.com'],
        ['a bidi control', 'a\u202eb'],
        ['a control character', 'a\u0007b'],
        ['too many characters', 'x'.repeat(501)],
      ],
      3,
    ),
  )('is refused when a value puts %s into the subject', async (_, code) => {
    const { id } = await plain('Text', VARIABLES, 'Order {{ code }}');
    const contact = await createContact(acme);
    const { error } = await sending({
      contact_id: contact.id,
      template_id: id,
      variables: { code },
    });
    expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path: 'subject' }] });
  });

  it.each(
    sample(
      [
        [
          'loops without an end',
          '{% for a in (1..99999) %}{% for b in (1..99999) %}{{ b }}{% endfor %}{% endfor %}',
        ],
        [
          'a value that grows',
          '{% for a in (1..100) %}{% assign code = code | append: code | append: "aaaa" %}{% endfor %}{{ code }}',
        ],
        [
          'an output of 300 KiB',
          '{% for a in (1..6000) %}{{ "12345678901234567890123456789012345678901234567890" }}{% endfor %}',
        ],
      ],
      3,
    ),
  )('is refused with %s, and other calls are served', async (_, text) => {
    const { id } = await plain(text);
    const contact = await createContact(acme);
    const given = { contact_id: contact.id, template_id: id, variables: { code: 'a' } };
    const hostile = sending(given);
    const served = await other.call('list_templates');
    expect(served.status).toBe(200);
    expect((await hostile).error?.code).toMatch(/^(invalid_arguments|rate_limited)$/);
  });

  it('cannot reach a prototype or add markup with its values', async () => {
    const { id } = await plain('[{{ code }}{{ code.constructor }}{{ items.constructor.name }}]');
    const contact = await createContact(acme);
    const { body } = await sent({
      contact_id: contact.id,
      template_id: id,
      variables: { code: '{{ 7 | times: 6 }}' },
    });
    expect(body).toBe('[{{ 7 | times: 6 }}]');
  });

  it('stores nothing in a dry run', async () => {
    const { id } = await plain('Text {{ code }}');
    const contact = await createContact(acme);
    const response = await acme.fetch('/api/tools/send_message', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        contact_id: contact.id,
        template_id: id,
        variables: { code: '1' },
        dry_run: true,
      }),
    });
    expect(response.status).toBe(200);
    expect(JSON.stringify(await response.json())).toContain('Text 1');
    const { value } = await acme.call<{ messages: object[] }>('list_messages', {
      contact_id: contact.id,
    });
    expect(value.messages).toEqual([]);
  });
});

describe('a digest of a template', () => {
  const text =
    '{{ code }}: {{ digest.count }}{% for item in digest.items %} {{ item.code }}/{{ item.items | join }}{% endfor %}';
  const add = (contactId: string, templateId: string, variables: object) =>
    sending({
      contact_id: contactId,
      template_id: templateId,
      variables,
      digest: { key: 'orders', window_seconds: 3600 },
    });

  it('collects the variables of all calls, and keeps the template version of the first call', async () => {
    const { id } = await plain(text);
    const contact = await createContact(acme);
    const first = (await add(contact.id, id, { code: 'a' })).value;
    expect(first.message).toMatchObject({ body: 'a: 1 a/one', status: 'held' });
    const variants = { en: { email: { subject: 'New', text: 'New {{ code }}' } } };
    await acme.call('update_template', { template_id: id, variants });
    await publish(acme, id);
    const second = (await add(contact.id, id, { code: 'b', items: ['x', 'y'] })).value;
    expect(second).toMatchObject({
      digest_count: 2,
      message: { id: first.message.id, body: 'a: 2 a/one b/x y', template_version: 1 },
    });
  });

  it('refuses a call whose variables do not fit, and does not change', async () => {
    const { id } = await plain(text);
    const contact = await createContact(acme);
    const first = (await add(contact.id, id, { code: 'a' })).value.message;
    const { error } = await add(contact.id, id, { cod: 'b' });
    expect(error).toMatchObject({
      code: 'invalid_arguments',
      details: [{ path: 'variables.cod' }, { path: 'variables.code' }],
    });
    expect(await getMessage(acme, first.id)).toMatchObject({ status: 'held', body: 'a: 1 a/one' });
  });

  it('ends when a call has another template, and that call begins the next digest', async () => {
    const [one, two] = [await plain(text), await plain(text)];
    const contact = await createContact(acme);
    const first = (await add(contact.id, one.id, { code: 'a' })).value.message;
    const next = (await add(contact.id, two.id, { code: 'b' })).value;
    expect(next).toMatchObject({ digest_count: 1, message: { template_id: two.id } });
    expect((await getMessage(acme, first.id)).status).not.toBe('held');
  });
});

describe('a template of SMS', () => {
  it('is used in the locale of the contact only when this locale has a text for SMS', async () => {
    const variants = { en: email('Order'), de: { sms: { text: 'Bestellung {{ code }}' } } };
    const { template } = await published(acme, {
      name: unique('sms'),
      variables: VARIABLES,
      variants,
    });
    const contact = await createContact(acme, { phone: '+4930901820', locale: 'en' });
    const given = { contact_id: contact.id, template_id: template.id, variables: { code: '1' } };
    await acme.call('create_channel_provider', {
      channel: 'sms',
      kind: 'twilio',
      name: 'Twilio',
      settings: {
        account_sid: `AC${'0'.repeat(32)}`,
        from: '+15005550006',
        base_url: 'https://sms.example.com',
      },
      secret: 'secret',
    });
    const message = await sent({ ...given, channel: 'sms' });
    expect(message).toMatchObject({ locale: 'de', body: 'Bestellung 1', subject: null });
    const mailOnly = await plain('Text');
    const { error } = await sending({ ...given, template_id: mailOnly.id, channel: 'sms' });
    expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path: 'template_id' }] });
  });
});

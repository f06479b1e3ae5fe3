import { beforeAll, describe, expect, it } from 'vitest';
import { createContact, getMessage, readEml } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { type RunningSwitchboard, sharedSwitchboard } from '../support/switchboard.js';
import { createTemplate, published } from './template.js';

let switchboard: RunningSwitchboard;
let acme: TestOrganization;
let other: TestOrganization;

beforeAll(async () => {
  switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  other = await createOrganization(switchboard);
});

interface Preview {
  email: { locale: string; subject: string; html: string | null; text: string } | null;
  sms: { locale: string; text: string } | null;
  missing: string[];
  faults: { path: string; message: string }[];
  warnings: { path: string; message: string }[];
}
const VARIABLES = [
  { name: 'code', type: 'text' },
  { name: 'count', type: 'number', default: 2 },
];
const VARIANTS = {
  en: {
    email: { subject: 'Order {{ code }}', text: 'Hi {{ contact.first_name }}, {{ count }}' },
    sms: { text: 'Order {{ code }}' },
  },
  de: { email: { subject: 'Bestellung {{ code }}', text: 'Hallo {{ contact.first_name }}' } },
};
const preview = (given: object, organization = acme) =>
  organization.call<Preview>('preview_template', given);

describe('preview_template', () => {
  it('shows the draft for a contact, with samples for missing values', async () => {
    const { id } = await createTemplate(acme, { variables: VARIABLES, variants: VARIANTS });
    const contact = await createContact(acme, { first_name: 'Ada', locale: 'de-CH' });
    const { value } = await preview({ template_id: id, contact_id: contact.id });
    expect(value).toEqual({
      email: { locale: 'de', subject: 'Bestellung [code]', html: null, text: 'Hallo Ada' },
      sms: { locale: 'en', text: 'Order [code]' },
      missing: ['code'],
      faults: [],
      warnings: [],
    });
    const english = await preview({
      template_id: id,
      locale: 'en-GB',
      variables: { code: '7', count: 9 },
    });
    expect(english.value).toMatchObject({
      email: { locale: 'en', subject: 'Order 7', text: 'Hi , 9' },
      missing: [],
    });
  });

  it('shows a published version, and a draft that is not saved', async () => {
    const { template } = await published(acme, { variables: VARIABLES, variants: VARIANTS });
    const unsaved = { variants: { en: { sms: { text: 'New' } } } };
    const draft = await preview({ template_id: template.id, draft: unsaved });
    expect(draft.value).toMatchObject({ email: null, sms: { text: 'New' } });
    const first = await preview({ template_id: template.id, version: 1 });
    expect(first.value.email!.subject).toBe('Order [code]');
  });

  it('reports values that are not escaped, and a subject that would be refused', async () => {
    const html = '<b>{{ code | raw }}</b>';
    const variants = { en: { email: { subject: 'Order {{ code }}', html, text: 'x' } } };
    const { id } = await createTemplate(acme, { variables: VARIABLES, variants });
    const { value } = await preview({ template_id: id, variables: { code: 'a\nb' } });
    expect(value.email!.html).toBe('<b>a\nb</b>');
    expect(value.faults).toMatchObject([{ path: 'subject' }]);
    expect(value.warnings).toMatchObject([{ path: 'variants.en.email.html' }]);
  });

  it.each<[string, object, string]>([
    ['an unknown variable', { variables: { cod: 1 } }, 'variables.cod'],
    ['a value of another type', { variables: { count: 'x' } }, 'variables.count'],
    [
      'a draft that cannot be published',
      { draft: { variants: { en: { sms: { text: '{{ x' } } } } },
      'variants.en.sms.text',
    ],
    ['a draft of another form', { draft: { variants: [] } }, 'draft.variants'],
  ])('is refused with %s', async (_, more, path) => {
    const { id } = await createTemplate(acme, { variables: VARIABLES, variants: VARIANTS });
    const { error } = await preview({ template_id: id, ...more });
    expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path }] });
  });

  it('shows no template or contact of another organization', async () => {
    const { id } = await createTemplate(acme, { variables: VARIABLES, variants: VARIANTS });
    expect((await preview({ template_id: id }, other)).error?.code).toBe('not_found');
    expect((await other.fetch(`/api/templates/${id}/preview`)).status).toBe(404);
    const theirs = await createContact(other);
    const { error } = await preview({ template_id: id, contact_id: theirs.id });
    expect(error?.code).toBe('not_found');
  });
});

describe('GET /api/templates/:id/preview', () => {
  it('shows the draft as a page without active content', async () => {
    const variants = { en: { email: { subject: '<b>', text: '<script>alert(1)</script>' } } };
    const { id } = await createTemplate(acme, { variants });
    const response = await acme.fetch(`/api/templates/${id}/preview?locale=en`);
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
    expect(await response.text()).toContain('&lt;script&gt;');
    expect((await acme.fetch('/api/templates/%00/preview')).status).toBe(404);
    expect((await fetch(`${switchboard.url}/api/templates/${id}/preview`)).status).toBe(401);
  });

  it('uses given variables, and refuses variables that are too long or not a JSON object', async () => {
    const { id } = await createTemplate(acme, { variables: VARIABLES, variants: VARIANTS });
    const show = (variables: string) =>
      acme.fetch(`/api/templates/${id}/preview?${new URLSearchParams({ variables }).toString()}`);
    expect(await (await show('{"code":"A7"}')).text()).toContain('A7');
    const wrong = ['', '{', '[]', '"x"', 'null', JSON.stringify({ code: 'x'.repeat(8000) })];
    for (const variables of wrong) {
      const response = await show(variables);
      expect(response.status, variables.slice(0, 20)).toBe(422);
      expect(await response.text()).toContain('variables');
    }
  });
});

describe('send_template_test', () => {
  it('sends the draft to the signed-in person, and stores the message', async () => {
    const { id } = await createTemplate(acme, { variables: VARIABLES, variants: VARIANTS });
    const given = { template_id: id, variables: { code: '7' } };
    const { value } = await acme.call<{ message_id: string; to: string; status: string }>(
      'send_template_test',
      given,
    );
    expect(value).toMatchObject({ to: acme.email, status: 'sent' });
    const { headers, text } = await readEml(switchboard, value.message_id);
    expect(headers.get('to')).toBe(acme.email);
    expect(text.trim()).toBe('Hi , 2');
    expect(await getMessage(acme, value.message_id)).toMatchObject({
      status: 'sent',
      contact_id: null,
      subject: 'Order 7',
      template_id: id,
    });
  });

  it('is refused with a subject that has a line break, and with another address', async () => {
    const { id } = await createTemplate(acme, { variables: VARIABLES, variants: VARIANTS });
    const given = { template_id: id, variables: { code: 'a\r\nBcc: b@example.com' } };
    const { error } = await acme.call('send_template_test', given);
    expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path: 'subject' }] });
    const to = await acme.call('send_template_test', { template_id: id, to: 'x@example.com' });
    expect(to.error?.code).toBe('invalid_arguments');
  });
});

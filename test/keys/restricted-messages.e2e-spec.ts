import { beforeAll, describe, expect, it } from 'vitest';
import { DRY_RUN_KEY } from '../../src/mcp/request-meta.js';
import { createContact } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { withNewKey } from '../support/with-new-key.js';
import { published } from '../templates/template.js';
import { callTool, rpc, said } from '../workflows/support/offer-client.js';

const PHONE = '+4930123456';

let acme: TestOrganization;
let contactId: string;
beforeAll(async () => {
  acme = await createOrganization(await sharedSwitchboard());
  ({ id: contactId } = await createContact(acme, { phone: PHONE, first_name: 'Ada' }));
});

const sender = () => withNewKey(acme, { tools: ['send_message'] });
const message = (given: object): object => ({
  contact_id: contactId,
  subject: 'May',
  body: 'Hello',
  variables: {},
  ...given,
});
const refusal = (path: string): object => ({
  error: {
    code: 'invalid_arguments',
    details: [{ path, message: expect.stringContaining('may call get_contact') as string }],
  },
});

describe('send_message with a key that may not call get_contact', () => {
  it.each<[string, string, object]>([
    ['the text', 'body', { body: '{{ contact | json }}' }],
    ['the subject', 'subject', { subject: '{{ contact.phone }}' }],
    ['the HTML', 'html', { html: '<p>{{ contact.tags | join }}</p>', body: undefined }],
    ['a condition', 'body', { body: '{% if contact.phone == "1" %}a{% else %}b{% endif %}' }],
    ['a computed name', 'body', { body: '{% assign n = "contact" %}{{ [n].phone }}' }],
    ['a filter', 'body', { body: '{{ "a" | append: contact.phone }}' }],
    [
      'the text of a digest without variables',
      'body',
      {
        body: '{{ contact.phone }}',
        variables: undefined,
        digest: { key: 'k', window_seconds: 9 },
      },
    ],
  ])('refuses content that reads the contact in %s', async (_case, path, given) => {
    const agent = await sender();
    expect(said(await callTool(agent, 'send_message', message(given)))).toMatchObject(
      refusal(path),
    );
    const dry = await rpc(agent, 'tools/call', {
      name: 'send_message',
      arguments: message(given),
      _meta: { [DRY_RUN_KEY]: true },
    });
    expect(JSON.stringify(dry)).toContain('may call get_contact');
    expect(JSON.stringify(dry)).not.toContain(PHONE);
  });

  it('sends content that reads only its variables, and literal content with braces', async () => {
    const agent = await sender();
    const read = message({ body: '{{ contact_name }}', variables: { contact_name: 'Ada' } });
    expect(said(await callTool(agent, 'send_message', read))).toMatchObject({
      message: { body: 'Ada' },
    });
    const literal = message({ body: '{{ contact.phone }}', variables: undefined });
    expect(said(await callTool(agent, 'send_message', literal))).toMatchObject({
      message: { body: '{{ contact.phone }}' },
    });
  });

  it('sends a published template that reads the contact', async () => {
    const { template } = await published(acme, {
      name: 'greeting',
      variables: [],
      variants: { en: { email: { subject: 'Hi', text: 'Hi {{ contact.first_name }}' } } },
    });
    const given = { contact_id: contactId, template_id: template.id };
    expect(said(await callTool(await sender(), 'send_message', given))).toMatchObject({
      message: { body: 'Hi Ada' },
    });
  });

  it('renders the contact for a key that may call get_contact', async () => {
    const agent = await withNewKey(acme, { tools: ['send_message', 'get_contact'] });
    const given = message({ body: 'Hi {{ contact.first_name }}' });
    expect(said(await callTool(agent, 'send_message', given))).toMatchObject({
      message: { body: 'Hi Ada' },
    });
  });
});

describe('a workflow with a step send_message, saved with a key that may not call get_contact', () => {
  const save = async (by: TestOrganization, given: object): Promise<unknown> => {
    const step = {
      id: 'send',
      tool: 'send_message',
      arguments: {
        contact_id: '{{ trigger.payload.id }}',
        subject: 'May',
        body: 'Hello',
        ...given,
      },
    };
    const trigger = { type: 'webhook' };
    return said(await callTool(by, 'create_workflow', { name: 'Writer', trigger, steps: [step] }));
  };
  const author = (...more: string[]) =>
    withNewKey(acme, { tools: ['create_workflow', 'send_message', ...more] });

  it.each<[string, string, object]>([
    ['a template in a text', 'body', { body: '{{ "{{ contact.phone }}" }}', variables: {} }],
    ['a raw template', 'body', { body: '{% raw %}{{ contact.phone }}{% endraw %}', variables: {} }],
    ['a payload', 'subject', { subject: '{{ trigger.payload.text }}', variables: {} }],
    [
      'a payload that also has the variables',
      'html',
      { html: '{{ trigger.payload.a }}', variables: '{{ trigger.payload }}' },
    ],
    [
      'a payload in a digest',
      'body',
      { body: '{{ trigger.payload.text }}', digest: { key: 'k', window_seconds: 60 } },
    ],
  ])('is refused when its content can be a template: %s', async (_case, part, given) => {
    const path = `steps[0].arguments.${part}`;
    expect(await save(await author(), given)).toMatchObject(refusal(path));
    expect(await save(await author('get_contact'), given)).toHaveProperty('workflow');
  });

  it('is saved when its content cannot be a template', async () => {
    const agent = await author();
    expect(await save(agent, { body: '{{ trigger.payload.text }}' })).toHaveProperty('workflow');
    expect(await save(agent, { variables: { a: '{{ trigger.payload.a }}' } })).toHaveProperty(
      'workflow',
    );
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { createContact } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';
import { createTemplate, published } from './template.js';

let acme: TestOrganization;
let name: string;

beforeAll(async () => {
  acme = await createOrganization(await sharedSwitchboard());
  const variables = [
    { name: 'code', type: 'text' },
    { name: 'count', type: 'number', default: 1 },
  ];
  const variants = { en: { email: { subject: 'Order', text: '{{ code }} {{ count }}' } } };
  ({ name } = (await published(acme, { variables, variants })).template);
});

/** Saves a workflow with this step, inside a condition. */
function save(given: object) {
  return acme.call<{ workflow: { id: string } }>('create_workflow', {
    name: 'Send',
    trigger: { type: 'manual' },
    steps: [
      {
        id: 'check',
        if: 'true',
        then: [{ id: 'send', tool: 'send_message', arguments: given }],
      },
    ],
  });
}

describe('a step that sends a template', () => {
  it('is saved, and sends the template with the values of the run', async () => {
    const contact = await createContact(acme);
    const variables = { code: '{{ trigger.payload.code }}', count: '{{ trigger.payload.count }}' };
    const { value } = await save({ contact_id: contact.id, template_id: name, variables });
    await acme.call('trigger_workflow', {
      workflow_id: value.workflow.id,
      payload: { code: 'A', count: 3 },
    });
    const message = await waitFor(async () => {
      const found = await acme.call<{ messages: object[] }>('list_messages', {
        contact_id: contact.id,
      });
      return found.value.messages[0];
    });
    expect(message).toMatchObject({ body: 'A 3', template_version: 1, locale: 'en' });
  });

  it.each<[string, object, string, RegExp]>([
    ['an unknown template', { template_id: 'unknown' }, 'template_id', /id or name of a template/],
    [
      'an unknown variable',
      { variables: { code: 'a', cont: 1 } },
      'variables.cont',
      /is not a variable of the template. Did you mean count/,
    ],
    ['a variable without a value', { variables: {} }, 'variables.code', /has no value/],
    [
      'a value of another type',
      { variables: { code: 'a', count: 'many' } },
      'variables.count',
      /must be a value of the type number/,
    ],
  ])('is not saved with %s', async (_, more, path, message) => {
    const given = { contact_id: '{{ contact.id }}', template_id: name, ...more };
    const { error } = await save(given);
    expect(error).toMatchObject({
      code: 'invalid_arguments',
      details: [{ path: `steps[0].then[0].arguments.${path}` }],
    });
    expect(error!.details![0]!.message).toMatch(message);
  });

  it('is not saved with a template that was never published', async () => {
    const { id } = await createTemplate(acme);
    const { error } = await save({ contact_id: '{{ contact.id }}', template_id: id });
    expect(error!.details![0]!.message).toMatch(/published version/);
  });

  it('is saved with a template and variables that are known only in the run', async () => {
    const dynamic = { template_id: '{{ trigger.payload.t }}', variables: { any: 1 } };
    for (const given of [dynamic, { template_id: name, variables: '{{ trigger.payload }}' }]) {
      const { error } = await save({ contact_id: '{{ trigger.payload.id }}', ...given });
      expect(error).toBeUndefined();
    }
  });
});

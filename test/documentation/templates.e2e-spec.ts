import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createContact } from '../messaging/support.js';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { publish } from '../templates/template.js';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/templates.md'), 'utf8');
const [CREATE, SEND, ANSWER, REFUSAL] = [...PAGE.matchAll(/```json\n([^]*?)```/g)].map(
  ([, text]) => JSON.parse(text!) as Record<string, unknown>,
);

describe('docs/templates.md', () => {
  let acme: TestOrganization;
  beforeAll(async () => {
    acme = await createOrganization(await sharedSwitchboard());
  });

  it('has a template that can be published and sent, with the answers that it shows', async () => {
    const { value } = await acme.call<{ template: { id: string } }>('create_template', CREATE);
    const { value: published } = await publish(acme, value.template.id);
    expect(published).toMatchObject({ template: { version: 1 }, warnings: [] });
    const { id } = await createContact(acme, { first_name: 'Ana', locale: 'pt-BR' });
    const given = { ...SEND, contact_id: id };
    const sent = await acme.call<{ message: object }>('send_message', given);
    expect(sent.value.message).toMatchObject(ANSWER!);
    const { error } = await acme.call('send_message', {
      ...given,
      variables: { nubmer: '17' },
    });
    expect(error).toMatchObject(REFUSAL!);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { createTemplate, publish, type TestTemplate, unique } from './template.js';

let acme: TestOrganization;
let other: TestOrganization;

beforeAll(async () => {
  const switchboard = await sharedSwitchboard();
  acme = await createOrganization(switchboard);
  other = await createOrganization(switchboard);
});

const texts = (text: string) => ({ en: { email: { subject: 'Hello', text } } });

describe('the draft of a template', () => {
  it('stores the texts of its author, with locales in their usual spelling', async () => {
    const variables = [
      { name: 'code', type: 'text', description: 'The code.' },
      { name: 'count', type: 'number', default: 1 },
    ];
    const created = await createTemplate(acme, {
      description: 'Codes',
      variables,
      variants: { 'pt-br': { sms: { text: '{{ code }}' } }, EN: { email: { subject: 'Hi' } } },
    });
    expect(created).toMatchObject({
      variables,
      variants: { 'pt-BR': { sms: { text: '{{ code }}' } }, en: { email: { subject: 'Hi' } } },
      locales: ['pt-BR', 'en'],
      version: null,
      draft_version: 1,
    });
    const { value } = await acme.call<{ templates: TestTemplate[] }>('list_templates');
    expect(value.templates[0]).toMatchObject({ id: created.id, locales: ['pt-BR', 'en'] });
  });

  it('can be changed only by a caller who has read its stored version', async () => {
    const { id } = await createTemplate(acme, { variants: texts('one') });
    const update = (text: string, expected: number) =>
      acme.call<{ template: TestTemplate }>('update_template', {
        template_id: id,
        variants: texts(text),
        expected_version: expected,
      });
    expect((await update('two', 1)).value.template.draft_version).toBe(2);
    const late = await update('three', 1);
    expect(late.error).toMatchObject({ code: 'conflict' });
    const { value } = await acme.call<{ template: TestTemplate }>('get_template', {
      template_id: id,
    });
    expect(value.template.variants).toEqual(texts('two'));
  });

  it('has a unique name in its organization', async () => {
    const { name } = await createTemplate(acme);
    const again = await acme.call('create_template', { name });
    expect(again.error).toMatchObject({ code: 'conflict' });
    expect((await other.call('create_template', { name })).status).toBe(200);
  });

  it.each<[string, object, string]>([
    ['a name with spaces', { name: 'Two words' }, 'name'],
    [
      'a locale that is not a language tag',
      { variants: { 'not a locale': {} } },
      'variants.not a locale',
    ],
    ['a locale twice', { variants: { 'pt-br': {}, 'pt-BR': {} } }, 'variants.pt-BR'],
    ['an unknown member', { variants: { en: { email: { body: 'x' } } } }, 'variants.en.email'],
    ['a variant that is a text', { variants: { en: 'x' } }, 'variants.en'],
    ['an unknown type', { variables: [{ name: 'a', type: 'uuid' }] }, 'variables[0].type'],
    [
      '__proto__ as a variable',
      { variables: [{ name: '__proto__', type: 'text' }] },
      'variables[0].name',
    ],
    [
      'contact as a variable',
      { variables: [{ name: 'contact', type: 'text' }] },
      'variables[0].name',
    ],
    [
      'a default of another type',
      { variables: [{ name: 'a', type: 'number', default: 'x' }] },
      'variables[0].default',
    ],
    [
      'a variable twice',
      {
        variables: [
          { name: 'a', type: 'text' },
          { name: 'a', type: 'text' },
        ],
      },
      'variables[1].name',
    ],
    ['a long text', { variants: texts('x'.repeat(256 * 1024 + 1)) }, 'variants.en.email.text'],
    [
      'many locales',
      {
        variants: Object.fromEntries(
          [...'abcdefghijklmnopqrstu'].map((letter) => [`a${letter}`, { sms: { text: 'x' } }]),
        ),
      },
      'variants',
    ],
  ])('is refused with %s', async (_, given, path) => {
    const { error } = await acme.call('create_template', { name: unique('refused'), ...given });
    expect(error).toMatchObject({ code: 'invalid_arguments', details: [{ path }] });
  });

  it('is not stored with a text of 10 MB', async () => {
    const given = { name: unique('large'), variants: texts('x'.repeat(10 * 1024 * 1024)) };
    const { status } = await acme.call('create_template', given);
    expect([413, 422]).toContain(status);
  });

  it('is seen and changed by nobody of another organization', async () => {
    const { id } = await createTemplate(acme, { variants: texts('ours') });
    await publish(acme, id);
    const calls = [
      ['get_template', {}],
      ['update_template', { description: 'theirs' }],
      ['publish_template', {}],
      ['delete_template', {}],
      ['get_template_version', { version: 1 }],
      ['restore_template_version', { version: 1 }],
    ] as const;
    for (const [tool, more] of calls) {
      const { error } = await other.call(tool, { template_id: id, ...more });
      expect(error, tool).toMatchObject({ code: 'not_found' });
    }
  });
});

describe('the versions of a template', () => {
  it('never change, can be compared, and can become the draft again', async () => {
    const { id } = await createTemplate(acme, { variants: texts('first') });
    await publish(acme, id);
    const given = { template_id: id, variants: texts('second') };
    await acme.call('update_template', given);
    const draft = await acme.call<{ changes: object[] }>('diff_template_versions', {
      template_id: id,
      from: 1,
    });
    const changes = [{ path: '/variants/en/email/text', before: 'first', after: 'second' }];
    expect(draft.value.changes).toEqual(changes);
    const second = await publish(acme, id);
    expect(second.value.template.version).toBe(2);
    const between = await acme.call<{ changes: object[] }>('diff_template_versions', {
      template_id: id,
      from: 1,
      to: 2,
    });
    expect(between.value.changes).toEqual(changes);
    const restored = await acme.call<{ template: TestTemplate }>('restore_template_version', {
      template_id: id,
      version: 1,
    });
    expect(restored.value.template).toMatchObject({ variants: texts('first'), restored_from: 1 });
    await publish(acme, id);
    const { value } = await acme.call<{ versions: object[] }>('list_template_versions', {
      template_id: id,
    });
    expect(value.versions).toMatchObject([
      { version: 3, restored_from: 1, published_by: { kind: 'user', id: acme.userId } },
      { version: 2, restored_from: null },
      { version: 1 },
    ]);
  });

  it('are deleted with the template', async () => {
    const { id } = await createTemplate(acme, { variants: texts('text') });
    await publish(acme, id);
    expect((await acme.call('delete_template', { template_id: id })).value).toEqual({
      deleted: true,
    });
    const { error } = await acme.call('get_template_version', { template_id: id, version: 1 });
    expect(error).toMatchObject({ code: 'not_found' });
  });

  it('are not published from a draft that the caller has not read', async () => {
    const { id } = await createTemplate(acme, { variants: texts('text') });
    const { error } = await acme.call('publish_template', { template_id: id, expected_version: 7 });
    expect(error).toMatchObject({ code: 'conflict' });
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { createOrganization, type TestOrganization } from '../support/organization.js';
import { sharedSwitchboard } from '../support/switchboard.js';
import { itSlow } from '../support/thorough.js';
import { createTemplate, publish, published, unique } from './template.js';

let acme: TestOrganization;

beforeAll(async () => {
  acme = await createOrganization(await sharedSwitchboard());
});

const NAME = [{ name: 'first_name', type: 'text' }];
const html = (text: string) => ({ en: { email: { subject: 'Hello', html: text } } });
const text = (given: string) => ({ en: { email: { subject: 'Hello', text: given } } });

/** Returns the faults of publishing these texts. */
async function faultsOf(given: object): Promise<{ path: string; message: string }[]> {
  const { id } = await createTemplate(acme, given);
  const { error } = await publish(acme, id);
  expect(error?.code).toBe('invalid_arguments');
  return error!.details!;
}

async function compiledOf(
  id: string,
): Promise<Record<string, { email: { html: string; text: string } }>> {
  const given = { template_id: id, version: 1 };
  const { value } = await acme.call<{ version: { compiled: never } }>(
    'get_template_version',
    given,
  );
  return value.version.compiled;
}

async function snippet(content: string, name = unique('snippet')): Promise<string> {
  const { error } = await acme.call('create_snippet', { name, content });
  if (error) throw new Error(error.message);
  return name;
}

describe('publishing', () => {
  it('stops at a variable that is not declared, with its place and a suggestion', async () => {
    const variants = text('Hello!\n  {{ frist_name }}\n{% if contact.frist_name %}{% endif %}');
    const path = 'variants.en.email.text';
    expect(await faultsOf({ variables: NAME, variants })).toEqual([
      {
        path,
        message:
          'uses frist_name, which is not declared. Did you mean first_name? (line 2, column 6)',
      },
      {
        path,
        message:
          'uses contact.frist_name, which is not declared. Did you mean contact.first_name, contact.last_name? (line 3, column 7)',
      },
    ]);
  });

  it('accepts loop variables, assigned variables and literals', async () => {
    const variants = text(
      '{% for item in items %}{{ forloop.index }}{{ item.name }}{% endfor %}' +
        '{% assign total = items | size %}{{ total }}{% if items == empty or contact.properties.x %}{% endif %}',
    );
    await published(acme, { variables: [{ name: 'items', type: 'list' }], variants });
  });

  it.each<[string, string, RegExp]>([
    [
      'an unknown filter',
      'a\n{{ first_name | upcas }}',
      /undefined filter: upcas. Did you mean upcase\? \(line 2/,
    ],
    [
      'an unknown tag',
      '{% fore x %}',
      /tag "fore" not found. Did you mean for\? \(line 1, column 1\)/,
    ],
    ['a tag without an end', 'x {% if first_name %}', /if.* not closed.*\(line 1, column 3\)/],
    ['an output without an end', 'x {{ first_name', /not closed.*\(line 1, column 3\)/],
    [
      'a filter that templates do not have',
      "{{ 'x' | where_exp: 'y', '1' }}",
      /undefined filter: where_exp/,
    ],
    ['a file', "{% include 'x' %}", /tag "include" not found/],
    ['a very long range', '{% for i in (1..9007199254740992) %}{% endfor %}', /bounds of a range/],
    ['too many tags', '{% if true %}{% endif %}'.repeat(1001), /at most 2000 tags/],
    [
      'the prototype of an object',
      '{{ constructor.constructor }}',
      /uses constructor, which is not declared/,
    ],
  ])('stops at %s', async (_, given, message) => {
    const [fault] = await faultsOf({ variables: NAME, variants: text(given) });
    expect(fault).toMatchObject({ path: 'variants.en.email.text' });
    expect(fault!.message).toMatch(message);
  });

  it.each<[string, object, string]>([
    ['no variant', {}, 'variants'],
    ['an empty variant', { en: {} }, 'variants.en'],
    ['an e-mail without a subject', { en: { email: { text: 'x' } } }, 'variants.en.email.subject'],
    ['an e-mail without a text', { en: { email: { subject: 'x' } } }, 'variants.en.email'],
    ['an empty SMS', { en: { sms: { text: ' ' } } }, 'variants.en.sms.text'],
    ['HTML without any text', html('<p></p>'), 'variants.en.email.text'],
  ])('stops at %s', async (_, variants, path) => {
    expect(await faultsOf({ variants })).toMatchObject([{ path }]);
  });

  it('warns of values that are not escaped', async () => {
    const variants = html('<b>{{ first_name | raw }}</b>{{ first_name | upcase }}');
    const { warnings } = await published(acme, { variables: NAME, variants });
    expect(warnings).toEqual([
      {
        path: 'variants.en.email.html',
        message:
          'writes a value with raw, which is not escaped: it must be safe HTML (line 1, column 4)',
      },
    ]);
  });

  it('inlines CSS, keeps Liquid where it was, and derives the text', async () => {
    const variables = [
      { name: 'items', type: 'list' },
      { name: 'url', type: 'text' },
      { name: 'color', type: 'text', default: 'red' },
    ];
    const variants = html(
      '<style>td { color: red } .big { font-size: 20px } @media (max-width: 9px) { td { color: blue } }</style>\n' +
        '<h1>Your order</h1><table>{% for item in items %}<tr {% if item.big %}class="big"{% endif %}>' +
        '<td style="background: {{ color }}">{{ item.name | append: ">" }}</td></tr>{% endfor %}</table>' +
        '{% if items.size > 1 %}<p>Several &amp; more</p>{% endif %}<a href="{{ url | append: "?a=1&b=2" }}">Open</a>',
    );
    const { template } = await published(acme, { variables, variants });
    const { html: compiled, text: derived } = (await compiledOf(template.id)).en!.email;
    expect(compiled).toContain(
      '<table>{% for item in items %}<tr {% if item.big %}class="big" {% endif %}>' +
        '<td style="color: red; background: {{ color }};">{{ item.name | append: ">" }}</td></tr>{% endfor %}</table>',
    );
    expect(compiled).toContain('{% if items.size > 1 %}<p>Several &amp; more</p>{% endif %}');
    expect(compiled).toContain('<a href="{{ url | append: "?a=1&b=2" }}">');
    // The class is in a condition, so its rule cannot be inlined.
    expect(compiled).toContain('.big {');
    expect(compiled).toContain('@media (max-width: 9px)');
    expect(compiled).not.toMatch(/td \{\s*color: red/);
    expect(derived).toContain('Your order');
    expect(derived).toContain(
      '{% for item in items %}\n{{ item.name | append: ">" }}\n{% endfor %}',
    );
    expect(derived).toContain('Several & more');
    expect(derived).toContain('Open ({{ url | append: "?a=1&b=2" }})');
  });

  it('keeps words of the author that look like the words in place of Liquid', async () => {
    const given = `{{ contact.id }} ${'lqm0<b>q0z</b> lqm0&#113;0z '.repeat(3)}`;
    const { template } = await published(acme, { variants: html(given) });
    expect((await compiledOf(template.id)).en!.email.text).toBe(
      `{{ contact.id }} ${'lqm0q0z lqm0q0z '.repeat(3).trim()}`,
    );
  });

  itSlow('keeps CSS that cannot be inlined, with a warning', async () => {
    const variables = [{ name: 'color', type: 'text' }];
    const given = '<style>p { color: {{ color }} }</style><p>One</p><p style="{{ color }}">Two</p>';
    const { template, warnings } = await published(acme, { variables, variants: html(given) });
    expect((await compiledOf(template.id)).en!.email.html).toBe(given);
    expect(warnings).toMatchObject([{ path: 'variants.en.email.html' }]);
  });

  it('loads no style sheets and no images', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url!);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { warnings } = await published(acme, {
      variants: html(
        `<link rel="stylesheet" href="${url}/a.css"><style>@import url(${url}/b.css); p { background: url(${url}/c.png) }</style>` +
          `<p>Text<img src="${url}/d.png" data-inline><script src="${url}/e.js" data-inline></script></p>`,
      ),
    });
    await new Promise((resolve) => server.close(resolve));
    expect(asked).toEqual([]);
    expect(warnings).toMatchObject([{ message: expect.stringContaining('style sheet') as string }]);
  });
});

describe('a snippet', () => {
  it('is copied into a published version, which does not change when the snippet changes', async () => {
    const inner = await snippet('Hi {{ first_name }}');
    const outer = await snippet(`[{% render "${inner}" %}]`);
    const { template } = await published(acme, {
      variables: NAME,
      variants: text(`{% render '${outer}' %} {%- render '${inner}' -%} !`),
    });
    const compiled = async () => (await compiledOf(template.id)).en!.email.text;
    expect(await compiled()).toBe('[Hi {{ first_name }}]Hi {{ first_name }}!');
    const { value } = await acme.call<{ snippets: { id: string; name: string }[] }>(
      'list_snippets',
    );
    const { id } = value.snippets.find(({ name }) => name === inner)!;
    await acme.call('update_snippet', { snippet_id: id, content: 'Changed' });
    expect(await compiled()).toContain('Hi {{ first_name }}');
    await acme.call('delete_snippet', { snippet_id: id });
    expect(await compiled()).toContain('Hi {{ first_name }}');
  });

  it('is suggested in the fault when a draft names an unknown snippet', async () => {
    const name = await snippet('x', 'the_footer');
    const [fault] = await faultsOf({ variants: text(`\n{% render 'the_foter' %}`) });
    expect(fault!.message).toBe(
      `names the unknown snippet the_foter. Did you mean ${name}? (line 2, column 1)`,
    );
  });

  it('has its faults reported with their places in the snippet', async () => {
    const name = await snippet('one\ntwo {{ first_nam }}');
    const [fault] = await faultsOf({ variables: NAME, variants: text(`{% render '${name}' %}`) });
    expect(fault!.message).toContain(`(snippet ${name}, line 2, column 8)`);
  });

  it('may not include itself, directly or through other snippets', async () => {
    const [one, two] = [unique('circle'), unique('circle')];
    await snippet(`{% render '${two}' %}`, one);
    await snippet(`{% render '${one}' %}`, two);
    const [fault] = await faultsOf({ variants: text(`{% render '${one}' %}`) });
    expect(fault!.message).toContain(`${one} > ${two} > ${one}`);
  });

  it('includes other snippets to a depth of 5', async () => {
    let name = await snippet('deep');
    for (let depth = 2; depth <= 5; depth += 1) name = await snippet(`{% render '${name}' %}`);
    await published(acme, { variants: text(`{% render '${name}' %}`) });
    const deeper = await snippet(`{% render '${name}' %}`);
    const [fault] = await faultsOf({ variants: text(`{% render '${deeper}' %}`) });
    expect(fault!.message).toContain('more than 5 levels deep');
  });

  it('cannot make a text of unlimited size', async () => {
    const large = await snippet('x'.repeat(60_000));
    const many = await snippet(`{% render '${large}' %}`.repeat(100));
    const [fault] = await faultsOf({ variants: text(`{% render '${many}' %}`.repeat(100)) });
    expect(fault!.message).toContain('too long with its snippets');
  });

  it.each(['{% render name %}', "{% render 'a', b: c %}", '{% render %}'])(
    'must be named by a literal in quotes, not by %s',
    async (tag) => {
      const [fault] = await faultsOf({ variants: text(tag) });
      expect(fault!.message).toContain('must name one snippet in quotes');
    },
  );

  it('stays text between raw tags', async () => {
    const given = "{% raw %}{% render 'none' %}{% endraw %}";
    const { template } = await published(acme, { variants: text(given) });
    expect((await compiledOf(template.id)).en!.email.text).toBe(given);
  });
});

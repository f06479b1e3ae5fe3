import { describe, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.js';
import { LiquidSandbox } from './liquid-sandbox.js';
import { ProcessorTurns } from '../turns/processor-turns.js';
import { TimeBudgets } from '../turns/time-budgets.js';

const sandbox = new LiquidSandbox();
const scope = {
  contact: { id: 'con_1', first_name: 'Ada', tags: ['a', 'b'], properties: { plan: 'pro', n: 0 } },
  trigger: { payload: { email: 'a@example.com', 'odd key': 1, list: [{ id: 7 }] } },
};

const render = (template: string, given: object) => sandbox.render('org_1', template, given);
const evaluate = (template: string, given: object) => sandbox.evaluate('org_1', template, given);

/** Renders a template, or returns its AppError. Any other error and a slow rendering fail the test. */
async function attempt(template: string, given: object = scope): Promise<string | AppError> {
  const started = performance.now();
  try {
    return await render(template, given);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).code).toBe('invalid_arguments');
    return error as AppError;
  } finally {
    // The bound is twenty times the limit, so that only an endless rendering fails the test, and not a slow computer.
    expect(performance.now() - started).toBeLessThan(10_000);
  }
}

describe(LiquidSandbox.name, () => {
  it('renders variables, filters, conditions and loops', async () => {
    expect(await render('Hi {{ contact.first_name | upcase }}!', scope)).toBe('Hi ADA!');
    expect(await render('{% for t in contact.tags %}{{ t }};{% endfor %}', scope)).toBe('a;b;');
    expect(await render('{% if contact.properties.plan == "pro" %}y{% endif %}', scope)).toBe('y');
    expect(await render('{% for i in (1..3) %}{{ i }}{% endfor %}', scope)).toBe('123');
    expect(await render('{% capture x %}{{ contact.id }}{% endcapture %}{{ x }}', scope)).toBe(
      'con_1',
    );
    expect(await render('{{ "2026-01-02T03:04:05Z" | date: "%Y-%m-%d %H:%M" }}', {})).toBe(
      '2026-01-02 03:04',
    );
  });

  it('renders an unknown variable as empty text, and text without markup unchanged', async () => {
    expect(await render('[{{ nobody.here }}]', scope)).toBe('[]');
    expect(await render('100 % {of} it', scope)).toBe('100 % {of} it');
    expect(await render('{{ contact.properties }}', scope)).toBe('{"plan":"pro","n":0}');
  });

  it('keeps the type of a value that is a single expression', async () => {
    expect(await evaluate('{{ contact.properties.n }}', scope)).toBe(0);
    expect(await evaluate(' {{ contact.tags }} ', scope)).toEqual(['a', 'b']);
    expect(await evaluate('{{ contact.properties }}', scope)).toEqual({ plan: 'pro', n: 0 });
    expect(await evaluate('{{ contact.tags | size }}', scope)).toBe(2);
    expect(await evaluate('{{ nothing }}', scope)).toBeNull();
    expect(await evaluate('{{ empty }}', scope)).toBe('');
    expect(await evaluate('{{ contact.tags }}!', scope)).toBe('ab!');
    expect(await evaluate(' plain ', scope)).toBe(' plain ');
  });

  it.each([
    ["contact.properties.plan == 'pro'", true],
    ["contact.properties.plan == 'free'", false],
    ["contact.tags contains 'b' and contact.properties.n < 1", true],
    ['contact.nothing', false],
    ['contact.properties.n', true],
    ["contact.first_name | upcase == 'ADA'", undefined],
    ['contact.properties.plan = "pro"', undefined],
    ['a && b', undefined],
    ['', undefined],
    ['%} {% if true', undefined],
  ])('evaluates or rejects the condition %s', async (condition, holds) => {
    const result = sandbox.test('org_1', condition, scope);
    if (holds === undefined) await expect(result).rejects.toThrow(AppError);
    else expect(await result).toBe(holds);
  });

  it('returns the paths that templates and conditions read', () => {
    expect(
      sandbox.references(
        '{{ contact.id }} {% for x in trigger.payload.list %}{{ x.id }}{% endfor %}{{ a[b.c].d }}',
      ),
    ).toEqual(expect.arrayContaining(['contact.id', 'trigger.payload.list', 'a', 'b.c']));
    expect(sandbox.references('{% for x in list %}{{ x.id }}{% endfor %}')).toEqual(['list']);
    expect(sandbox.references('{{ trigger.payload["odd key"] }}')).toEqual([
      'trigger.payload.odd key',
    ]);
    expect(sandbox.references('plain')).toEqual([]);
    expect(sandbox.conditionReferences("trigger.payload.plan == 'pro' or contact.id")).toEqual([
      'trigger.payload.plan',
      'contact.id',
    ]);
  });

  it.each<[string, string[]]>([
    ['{{ contact.email }} {{ run["id"] }}', ['contact.email', 'run.id']],
    ['{% if a %}{% assign contact = 1 %}{% endif %}{{ contact.x }}', ['a', 'contact.x']],
    [
      '{% for x in list limit: n.m %}{{ x.id }}{% else %}{{ x.y }}{% endfor %}',
      ['list', 'n.m', 'x.id', 'x.y'],
    ],
    [
      '{% case a %}{% when b %}{% echo c %}{% else %}{% cycle d: e, f %}{% endcase %}',
      ['a', 'b', 'c', 'd', 'e', 'f'],
    ],
    [
      '{% unless a %}{% elsif b %}{% capture x %}{{ c }}{% endcapture %}{% endunless %}',
      ['a', 'b', 'c'],
    ],
    ['{{ a | default: b, allow_false: c.d | append: e }}', ['a', 'b', 'c.d', 'e']],
    ['{{ a[b.c].d }} {{ a[0] }}', ['b.c', 'a', 'a.0']],
    ['{{ [a.b].c }}', ['a.b', '']],
    ['{{ a[[b].c] }}', ['b', '', 'a']],
    ['{{ "contact".size }} {% raw %}{{ x }}{% endraw %}{% comment %}{{ y }}{% endcomment %}', []],
  ])('finds all variables that %s may read', (template, reads) => {
    expect(sandbox.reading(template).reads.toSorted()).toEqual(reads.toSorted());
  });

  it('accepts brackets that are nested 32 deep, and refuses brackets that are nested deeper', async () => {
    const nested = (depth: number): string => `${'a['.repeat(depth)}a${']'.repeat(depth)}`;
    expect(sandbox.references(`{{ ${nested(32)} }}`)).toEqual(['a']);
    expect(sandbox.conditionReferences(nested(32))).toEqual(['a']);
    const tooDeep = nested(33);
    const texts = [
      `{{ ${tooDeep} }}`,
      `{{ x | append: ${tooDeep} }}`,
      `{% if ${tooDeep} %}{% endif %}`,
      `{% for x in ${tooDeep} %}{% endfor %}`,
      `{% assign x = ${tooDeep} %}`,
    ];
    for (const text of texts) {
      expect(() => sandbox.reading(text)).toThrow('brackets that are nested at most 32 deep');
      expect(await attempt(text)).toBeInstanceOf(AppError);
    }
    expect(() => sandbox.conditionReading(tooDeep)).toThrow('nested at most 32 deep');
    // A refused text does not make the next text deeper.
    expect(sandbox.references(`{{ ${nested(32)} }}`)).toEqual(['a']);
  });

  it('parses each condition only once, and parses no new condition after the organization has used its processor time', async () => {
    const budgets = new TimeBudgets(() => 0);
    const own = new LiquidSandbox(new ProcessorTurns(budgets));
    const expected = expect.objectContaining({ references: ['contact.id'] }) as unknown;
    expect(await own.readCondition('org_1', 'contact.id > 1')).toEqual(expected);
    await expect(own.readCondition('org_1', 'a ==')).rejects.toThrow('A value is missing');
    budgets.spend('org_1', 20_000);
    await expect(own.readCondition('org_1', 'contact.id > 2')).rejects.toThrow('processor time');
    expect(await own.readCondition('org_1', 'contact.id > 1')).toEqual(expected);
    expect(await own.readCondition('org_2', 'contact.id > 2')).toEqual(expected);
  });

  it('finds the names that tags assign', () => {
    const text =
      '{% if x %}{% assign a = 1 %}{% endif %}{% capture b %}{% increment c %}{% endcapture %}{% decrement d %}';
    expect(sandbox.reading(text).assigned).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each([
    '{{ x | nosuchfilter }}',
    '{% include "a" %}',
    '{% render "a" %}',
    '{% layout "a" %}',
    '{% block a %}{% endblock %}',
    '{% tablerow x in y %}{% endtablerow %}',
    '{% if x %}',
    '{{ x ',
    '{% nosuchtag %}',
    '{{ "a" | where_exp: "x", "x" }}',
  ])('rejects %s', (template) => {
    expect(() => sandbox.references(template)).toThrow(AppError);
  });

  it.each([
    '{{ constructor }}',
    '{{ constructor.constructor }}',
    '{{ __proto__ }}',
    '{{ contact.__proto__ }}',
    '{{ contact.constructor.prototype }}',
    '{{ contact["constructor"]["constructor"] }}',
    '{{ contact.tags.constructor }}{{ contact.first_name.constructor }}',
    '{{ contact.hasOwnProperty }}{{ contact.toString }}{{ contact.tags.map }}',
    '{{ contact.tags | map: "constructor" }}',
    '{{ contact.tags | map: "__proto__" }}',
    '{{ process }}{{ require }}{{ globalThis }}{{ this }}{{ self }}',
    '{% assign __proto__ = contact %}{{ polluted }}',
    '{% assign constructor = "" %}',
    '{% capture __proto__ %}{% endcapture %}',
    '{{ contact | where: "__proto__", "x" }}',
  ])('exposes no internals to %s', async (template) => {
    const result = await attempt(template);
    if (typeof result === 'string') expect(result).not.toMatch(/function|native|\[object Object\]/);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each([
    ['nested loops', '{% for a in (1..99999) %}{% for b in (1..99999) %}x{% endfor %}{% endfor %}'],
    ['a huge range', '{% for a in (1..999999999999) %}x{% endfor %}'],
    ['a range that never ends', '{% for a in (9007199254740992..9007199254740994) %}{% endfor %}'],
    ['a computed range', '{% assign n = 9007199254740992 %}{% for a in (n..n) %}{% endfor %}'],
    ['a range in a filter', '{{ (9007199254740992..9007199254740994) | size }}'],
    [
      'growing text',
      `{% assign x = "xxxxxxxx" %}${'{% assign x = x | append: x %}'.repeat(40)}{{ x }}`,
    ],
    [
      'nested captures',
      `{% assign x = "xxxxxxxx" %}${'{% capture x %}{{ x }}{{ x }}{% endcapture %}'.repeat(40)}`,
    ],
    ['wide numbers', '{{ "2026-01-01" | date: "%999999999d" }}'],
    ['a short template with a long output', '{% for a in (1..9999) %}{{ big }}{% endfor %}'],
    ['deep nesting', '{% if true %}'.repeat(15_000)],
    ['an unterminated tag of a megabyte', '{{'.repeat(500_000)],
    ['many unterminated', '{{'.repeat(130_000)],
    ['many unterminated tags', '{% '.repeat(85_000)],
    ['an unterminated quote', `{{ "${'a'.repeat(260_000)}`],
    ['unterminated comments', '{% comment %}'.repeat(20_000)],
    ['unterminated raws', '{% raw %}'.repeat(28_000)],
    ['many brackets', `{{ ${'a['.repeat(100_000)} }}`],
    ['many parentheses', `{{ ${'('.repeat(200_000)} }}`],
    ['many filters', `{{ "a" ${'| upcase '.repeat(28_000)}`],
  ])('stops at %s', async (_what, template) => {
    expect(await attempt(template, { big: 'y'.repeat(200_000) })).toBeInstanceOf(AppError);
  });

  it.each([
    ['strip_html', '<script'],
    ['strip_html', '<!--'],
    ['strip', ' '],
    ['squish', ' \n'],
    ['truncatewords', ' a'],
    ['escape_once', '&amp'],
    ['url_decode', '%41'],
    ['sort_natural', 'b'],
    ['newline_to_br', '\r'],
    ['number_of_words', 'a '],
    ['strip_newlines', '\r'],
  ])('renders a long text with %s and many %j within the time limit', async (filter, piece) => {
    await attempt(`{{ big | ${filter} }}`, { big: `a${piece.repeat(200_000 / piece.length)}a` });
  });

  it('reports the line of an error in a template', () => {
    expect(() => sandbox.references('Hello {{ x | shout }}')).toThrow(
      /undefined filter: shout.*line:1/,
    );
  });
});

describe('the memory of a sandbox', () => {
  it('stops writing an object as JSON when the output is too long', async () => {
    let reads = 0;
    const large = {};
    for (let index = 0; index < 1000; index += 1) {
      const get = (): string => ((reads += 1), 'x'.repeat(100_000));
      Object.defineProperty(large, `key_${index}`, { enumerable: true, get });
    }
    await expect(render('All: {{ large }}', { large })).rejects.toThrow('larger than 256 KiB');
    expect(reads).toBeLessThan(10);
  });

  it('limits the bytes of the parsed templates in the cache', () => {
    const own = new LiquidSandbox();
    const parsed = Array.from({ length: 300 }, (_, index) => {
      own.references(`${'{{a}}'.repeat(400)}${index}`);
      return (own as unknown as { cache: { size: number } }).cache.size;
    });
    expect(Math.max(...parsed)).toBeLessThan(100);
    expect(parsed.at(-1)).toBeGreaterThan(10);
  });
});

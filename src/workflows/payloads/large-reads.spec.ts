import { describe, expect, it } from 'vitest';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { JsonScan } from './json-scan.js';
import { guardLargeValues, makeReadable } from './large-members.js';
import { payloadOutline } from './payload-outline.js';

const LARGE = { nonce: 'n0nce', bytes: 0 };
const ORGANIZATION = 'org_1';

const items = Array.from({ length: 40_000 }, (_, id) => ({
  id,
  sku: `s${id}`,
  qty: id % 3,
  text: `"[{,\\ü ${id}`,
  more: [1, { a: null }],
}));
const texts = Array.from({ length: 100 }, () => 'x'.repeat(20_000));
const nested = [
  { name: 'first', lines: items.slice(0, 10_000) },
  { name: 'second', lines: [] },
];
const byName = Object.fromEntries(items.slice(0, 20_000).map(({ sku, id }) => [sku, { id }]));
const note = 'n'.repeat(1_200_000);
const payload = {
  id: 7,
  order: { items, total: 5 },
  texts,
  nested,
  byName,
  note,
  long: 'l'.repeat(1_700_000),
};

function outlined(given: object | string) {
  const bytes = Buffer.from(typeof given === 'string' ? given : JSON.stringify(given));
  const scan = new JsonScan(bytes, { depth: 64, members: 1_000_000 });
  while (!scan.run(Infinity));
  return { bytes, outline: payloadOutline(bytes, scan.values, scan.members, LARGE.nonce) };
}

const DEFAULT = outlined(payload);

function open(given?: object | string) {
  const { bytes, outline } = given === undefined ? DEFAULT : outlined(given);
  const guarded = guardLargeValues(JSON.parse(outline.toString()), LARGE);
  let read = 0;
  let mostAtOnce = 0;
  makeReadable(guarded, {
    read: async (start, end) => {
      read += end - start;
      mostAtOnce = Math.max(mostAtOnce, end - start);
      return bytes.subarray(start, end);
    },
    run: async (job) => {
      while (!job.run(Infinity));
    },
  });
  const liquid = new LiquidSandbox();
  const scope = { trigger: { payload: guarded } };
  return {
    evaluate: (text: string) => liquid.evaluate(ORGANIZATION, text, scope),
    test: (condition: string) => liquid.test(ORGANIZATION, condition, scope),
    render: (text: string) => liquid.render(ORGANIZATION, text, scope),
    readBytes: () => read,
    mostAtOnce: () => mostAtOnce,
  };
}

const P = 'trigger.payload';

describe('an expression on a large payload', () => {
  it.each<[string, unknown]>([
    [`${P}.order.items[3].sku`, 's3'],
    [`${P}.order.items[39999]`, items[39_999]],
    [`${P}.order.items[-1].id`, 39_999],
    [`${P}.order.items.first.id`, 0],
    [`${P}.order.items.last.text`, items.at(-1)!.text],
    [`${P}.order.items.size`, 40_000],
    [`${P}.order.items | size`, 40_000],
    [`${P}.order.items[40000]`, null],
    [`${P}.order.items[3].nothing`, null],
    [`${P}.order.items.nothing`, null],
    [`${P}.order.items | slice: 20000, 2`, items.slice(20_000, 20_002)],
    [`${P}.order.items | where: "sku", "s31234"`, [items[31_234]]],
    [`${P}.order.items | where: "sku", "s31234" | map: "id" | first`, 31_234],
    [`${P}.order.items | sum: "qty"`, items.reduce((sum, { qty }) => sum + qty, 0)],
    [`${P}.texts | map: "size" | size`, 100],
    [`${P}.texts | first | size`, 20_000],
    [`${P}.nested[0].lines[9999].sku`, 's9999'],
    [`${P}.nested[0].name`, 'first'],
    [`${P}.nested[0].lines.size`, 10_000],
    [`${P}.byName.s19999.id`, 19_999],
    [`${P}.byName["s7"]`, { id: 7 }],
    [`${P}.byName.missing`, null],
    [`${P}.byName.next`, null],
    [`${P}.byName.constructor`, null],
    [`${P}.byName.__proto__`, null],
    [`${P}.note`, note],
    [`${P}.order.total`, 5],
    [`${P}.order.items | default: "none" | size`, 40_000],
  ])('returns the right value: {{ %s }}', async (expression, expected) => {
    const value = await open().evaluate(`{{ ${expression} }}`);
    expect(JSON.stringify(value)).toBe(JSON.stringify(expected));
  });

  it.each<[string, boolean]>([
    [`${P}.order.items.size > 39999`, true],
    [`${P}.order.items[5].qty == 2`, true],
    [`${P}.order.items and ${P}.byName`, true],
    [`${P}.order.items == empty`, false],
    [`${P}.order.items.last.sku == "s1" or ${P}.id == 7`, true],
    [`${P}.byName.s5.id >= 6`, false],
    [`${P}.order.items contains "s5"`, false],
  ])('evaluates the condition %s', async (condition, expected) => {
    expect(await open().test(condition)).toBe(expected);
  });

  it('finds a text in a large list', async () => {
    const { test } = open({ names: items.map(({ sku, text }) => sku + text.repeat(5)) });
    expect(await test(`${P}.names contains "${items[39_000]!.sku}x"`)).toBe(false);
    const names = open({ names: Array.from({ length: 300_000 }, (_, id) => `n${id}`) });
    expect(await names.test(`${P}.names contains "n299999"`)).toBe(true);
    expect(await names.test(`${P}.names contains "n300000"`)).toBe(false);
  });

  it('reads an item that has very many values', async () => {
    const many = [Array(30_000).fill(1), Array(60_000).fill(2)];
    const { evaluate } = open({ lists: many, other: items });
    expect(await evaluate(`{{ ${P}.lists[0][29999] }} {{ ${P}.lists[1].size }}`)).toBe('1 60000');
    await expect(evaluate(`{{ ${P}.lists[0] }}`)).rejects.toThrow('more than 20000 values');
  });

  it('reads in bounded parts, and the same value only once', async () => {
    const { evaluate, readBytes, mostAtOnce } = open();
    await evaluate(`{{ ${P}.order.items[39000].sku }}`);
    const once = readBytes();
    expect(await evaluate(`{{ ${P}.order.items[39000].sku }}`)).toBe('s39000');
    expect(await evaluate(`{{ ${P}.order.items[39001].id }}`)).toBe(39_001);
    expect(readBytes()).toBe(once);
    await evaluate(`{{ ${P}.order.items[39900].sku }}`);
    expect(readBytes() - once).toBeLessThan(1_000_000);
    expect(mostAtOnce()).toBeLessThan(1_600_000);
  });

  it('renders texts with several values', async () => {
    const text = `{{ ${P}.order.items[1].sku }} of {{ ${P}.order.items.size }}: {% for item in ${P}.order.items limit: 3 %}{{ item.id }} {% endfor %}`;
    expect(await open().render(text)).toBe('s1 of 40000: 0 1 2 ');
  });

  it.each<[string, string]>([
    [`{{ ${P}.order.items }}`, 'trigger.payload.order.items has'],
    [`{{ ${P}.order.items | sort: "sku" }}`, 'loop over it with for_each'],
    [
      `{{ ${P}.order.items | map: "text" }}`,
      'A filter of trigger.payload.order.items has a result',
    ],
    [`{{ ${P}.long }}`, 'trigger.payload.long has 1700002 bytes'],
    [`{{ ${P} }}`, 'too large for an expression'],
    [`{{ ${P}.nested[0] }}`, 'which is too much for an expression'],
    [`{% for item in ${P}.texts %}{{ item.size }}{% endfor %}`, 'The expression reads more than'],
    [
      `{% for i in (1..200) %}{{ ${P}.order.items[i] | json | size }}{% assign n = i | times: 190 %}{{ ${P}.order.items[n].id }}{% endfor %}`,
      'The expression reads more than',
    ],
    [`{{ ${P}.order.items | divided_by: 2 }}`, 'too large for an expression'],
    [`{{ ${P}.order.items | where: "sku", "s1" | divided_by: 2 }}`, 'not a number'],
  ])('fails with a clear message for %s', async (text, message) => {
    await expect(open().evaluate(text)).rejects.toThrow(message);
  });

  it('can return a small list as a whole, even if the payload has very many values', async () => {
    const groups = Array.from({ length: 200 }, (_, id) => ({
      id,
      tags: items.slice(0, 100).map(({ sku }) => sku),
    }));
    const { evaluate } = open({
      a: { tags: groups[0]!.tags.concat(Array(1500).fill('x')) },
      groups,
    });
    expect(await evaluate(`{{ ${P}.a.tags | join: "," | size }}`)).toBeGreaterThan(3000);
    expect(await evaluate(`{{ ${P}.a }}`)).toEqual({ tags: expect.arrayContaining(['s99', 'x']) });
  });

  it('keeps the digits of numbers, and takes the last of several members with the same name', async () => {
    const many = `"a":[${'12345678901234567890,'.repeat(60_000)}1]`;
    const { evaluate } = open(
      `{"o":{ "x" : 1 ,"\\u0078": 2, ${many} } , "pad":"${'p'.repeat(5000)}", "b":[ ${'[1],'.repeat(30_000)} [ 2 ] ]}`,
    );
    expect(await evaluate(`{{ ${P}.o.a[5] }}`)).toBe('12345678901234567890');
    expect(await evaluate(`{{ ${P}.o.x }}`)).toBe(2);
    expect(await evaluate(`{{ ${P}.b.last[0] }}`)).toBe(2);
    const names = Array.from({ length: 20_000 }, (_, id) => `"n${id}":${id}`).join(',');
    const twice = open(`{"o":{"x":1,${names},"\\u0078":2},"id":1}`);
    expect(await twice.evaluate(`{{ ${P}.o.x }}`)).toBe(2);
  });

  it('fails without a source of the bytes', () => {
    const { outline } = DEFAULT;
    const guarded = guardLargeValues(JSON.parse(outline.toString()), LARGE) as typeof payload;
    expect(() => guarded.order.items[3]).toThrow('too large for an expression');
  });
});

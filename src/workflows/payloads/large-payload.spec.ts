import { describe, expect, it } from 'vitest';
import { JsonScan } from './json-scan.js';
import { findLargeValue, guardLargeValues } from './large-members.js';
import { payloadPath } from './large-value.js';
import { sliceList } from './list-slice.js';
import { payloadOutline } from './payload-outline.js';

const LARGE = { nonce: 'n0nce', bytes: 0 };

function outlineOf(payload: object | string): Buffer {
  const bytes = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const scan = new JsonScan(bytes, { depth: 64, members: 1_000_000 });
  while (!scan.run(Infinity));
  return payloadOutline(bytes, scan.values, scan.members, LARGE.nonce);
}

/** Returns true for equal values. A comparison by Vitest takes seconds for values of this size. */
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const read = (payload: object | string): Record<string, unknown> =>
  guardLargeValues(JSON.parse(outlineOf(payload).toString()), LARGE) as Record<string, unknown>;

const lines = Array.from({ length: 20_000 }, (_, id) => ({
  id,
  name: `line ${id} "[{,`.padEnd(50),
  more: [1],
}));

describe('the outline of a payload', () => {
  it('has everything but the large values, which cannot be read without a source', () => {
    const payload = { id: 7, customer: { name: 'Ann' }, order: { lines, total: 5 } };
    const found = read(payload) as typeof payload;
    expect(found.id).toBe(7);
    expect(found.customer).toEqual({ name: 'Ann' });
    expect(found.order.total).toBe(5);
    expect(() => found.order.lines[0]).toThrow(/^trigger\.payload\.order\.lines has \d+ bytes/);
    expect(() => JSON.stringify(found)).toThrow('too large for an expression');
    expect(findLargeValue(found, ['order', 'lines'])).toMatchObject({
      kind: 'list',
      items: 20_000,
    });
    expect(findLargeValue(found, ['order', 'total'])).toBeUndefined();
    expect(findLargeValue(found, ['order', 'lines', '0'])).toBeUndefined();
  });

  it('leaves out only the largest values', () => {
    const small = lines.slice(0, 1000);
    const found = read({ lines, small, text: 'x'.repeat(2_000_000), short: 'y'.repeat(90_000) });
    expect(found.small).toEqual(small);
    expect(found.short).toHaveLength(90_000);
    expect(() => found.text).toThrow('trigger.payload.text has 2000002 bytes');
    expect(() => (found.lines as unknown[])[0]).toThrow('loop over it');
  });

  it('leaves out large objects when the payload is too large even without its large lists and texts', () => {
    const object = Object.fromEntries(lines.map(({ id, name }) => [`key ${id}`, name]));
    const found = read({ object, id: 1 });
    expect(found.id).toBe(1);
    expect(() => (found.object as { x?: number }).x).toThrow('trigger.payload.object has');
  });

  it('is refused when the payload has too many values outside of large lists, objects and texts', () => {
    const object = Object.fromEntries(lines.map(({ id }) => [`key ${id}`, id]));
    expect(() => outlineOf(object)).toThrow('Without its lists');
  });

  it('takes the last of several members with the same name, as JSON.parse does', () => {
    const list = JSON.stringify(lines);
    expect(read(`{"a":${list},"a":1}`)).toEqual({ a: 1 });
    expect(() => JSON.stringify(read(`{"a":1,"a":${list}}`).a)).toThrow('trigger.payload.a has');
  });

  it('does not change a text of the sender that looks like the placeholder of a large value', () => {
    expect(read({ lines, text: 'other:list:1:2:3' }).text).toBe('other:list:1:2:3');
  });
});

describe(payloadPath, () => {
  it.each([
    ['{{ trigger.payload }}', []],
    ['{{trigger.payload.order.lines}}', ['order', 'lines']],
    ['{{ trigger.payload["order lines"][0].a-b }}', ['order lines', '0', 'a-b']],
    ['{{ trigger.payload[""] }}', ['']],
    ['{{ trigger.payload.lines | size }}', undefined],
    ['{{ trigger.payload[name] }}', undefined],
    ['a {{ trigger.payload }}', undefined],
    ['{{ trigger.payloads }}', undefined],
    [7, undefined],
  ])('reads %j', (text, path) => {
    expect(payloadPath(text)).toEqual(path);
  });
});

describe(sliceList, () => {
  /** Reads a whole list, slice by slice, from the bytes after its opening bracket. */
  function readAll(list: unknown[] | string, batch?: number): unknown[][] {
    const bytes = Buffer.from(typeof list === 'string' ? list : JSON.stringify(list)).subarray(1);
    const pages: unknown[][] = [];
    for (let at = 0; ;) {
      const { items, next, isLast } = sliceList(bytes.subarray(at, at + 1_573_888), batch);
      pages.push(items);
      if (isLast) return pages;
      expect(next).toBeGreaterThan(0);
      at += next;
    }
  }

  it('returns all items in their order', () => {
    const pages = readAll(lines);
    expect(pages.length).toBeGreaterThan(3);
    expect(isSame(pages.flat(), lines)).toBe(true);
    expect(isSame(readAll(JSON.stringify(lines, null, 2)).flat(), lines)).toBe(true);
  });

  it('returns whole batches until the list ends', () => {
    const pages = readAll(lines, 700);
    expect(isSame(pages.flat(), lines)).toBe(true);
    for (const page of pages.slice(0, -1)) expect(page.length % 700).toBe(0);
  });

  it('reads empty lists, scalars, and texts with brackets and escapes', () => {
    expect(readAll('[ ]')).toEqual([[]]);
    const items = [1, 'a,]}"\\', null, [], {}, [[1, 2], { a: ']' }], '\\', '😀'];
    expect(readAll(items).flat()).toEqual(items);
  });

  it('keeps the digits of numbers beyond 2^53', () => {
    expect(readAll('[12345678901234567890]')).toEqual([['12345678901234567890']]);
  });

  it('refuses an item that is too large, and reads smaller items of the same list', () => {
    expect(() => readAll([1, 'x'.repeat(1_600_000), 2])).toThrow('An item of the list');
    expect(() => readAll([Array.from({ length: 20_001 }, () => 1)])).toThrow('20000 values');
    const many = Array.from({ length: 15_000 }, () => 1);
    const items = [
      ...many.slice(0, 9999),
      many,
      many,
      'x'.repeat(1_400_000),
      'y'.repeat(1_400_000),
    ];
    expect(isSame(readAll(items).flat(), items)).toBe(true);
  });
});

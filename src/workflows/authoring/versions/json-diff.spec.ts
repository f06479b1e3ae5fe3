import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonChange, jsonDiff } from './json-diff.js';

type Json = Record<string, unknown>;

/** The value with every change carried out: what a reader of the differences would make of it. */
function patched(before: unknown, changes: readonly JsonChange[]): unknown {
  const root = { '': structuredClone(before) };
  // From the end, so that places in arrays still mean the same.
  for (const change of changes.toReversed()) {
    const keys = change.path
      .split('/')
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop()!;
    let target = root as Json;
    for (const key of keys) target = target[key] as Json;
    if ('after' in change) assign(target, last, change.after);
    else if (Array.isArray(target)) target.splice(Number(last), 1);
    else delete target[last];
  }
  return root[''];
}

/** Sets an own member. A plain assignment to `__proto__` would replace the prototype instead. */
function assign(target: Json, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

describe(jsonDiff, () => {
  it('says where values differ, and nothing where they do not', () => {
    expect(jsonDiff({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toEqual([]);
    expect(jsonDiff({ a: 1, same: 0 }, { b: 1, same: 0 })).toEqual([
      { path: '/a', before: 1 },
      { path: '/b', after: 1 },
    ]);
    expect(jsonDiff({ a: { b: [1, 2] } }, { a: { b: [1, 3, 4] } })).toEqual([
      { path: '/a/b/1', before: 2, after: 3 },
      { path: '/a/b/2', after: 4 },
    ]);
    expect(jsonDiff({ a: [] }, { a: {} })).toEqual([{ path: '/a', before: [], after: {} }]);
    expect(jsonDiff({ a: null }, { a: {} })).toEqual([{ path: '/a', before: null, after: {} }]);
    expect(jsonDiff(1, 2)).toEqual([{ path: '', before: 1, after: 2 }]);
  });

  it('writes keys as JSON Pointer does', () => {
    expect(jsonDiff({ 'a/b~c': 1 }, {})).toEqual([{ path: '/a~1b~0c', before: 1 }]);
  });

  it('holds all that leads from one value to the other', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(value, value, (before, after) => {
        const json = (given: unknown): unknown => JSON.parse(JSON.stringify(given));
        const [from, to] = [json(before), json(after)];
        expect(patched(from, jsonDiff(from, to))).toEqual(to);
      }),
    );
  });
});

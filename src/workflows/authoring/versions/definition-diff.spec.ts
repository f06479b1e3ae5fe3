import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Step } from '../../definitions/definition.js';
import { type JsonChange, jsonDiff } from '../../../text/json-diff.js';
import { diffSteps } from './definition-diff.js';

const call = (id: string, more: object = {}): Step => ({ id, tool: 'search_contacts', ...more });
const branch = (id: string, then: Step[], more: object = {}): Step => ({
  id,
  if: 'trigger.payload.vip',
  then,
  ...more,
});
/** Returns `id change from to` and the paths of the changes. */
const told = (before: Step[], after: Step[]): string[] =>
  diffSteps(before, after).map(({ id, change, from, to, changes }) =>
    [id, change, from, to, ...changes.map(({ path }) => path)].join(' '),
  );

describe(diffSteps, () => {
  it('returns no differences between equal definitions', () => {
    const steps = [call('a'), branch('b', [call('c')], { on_error: [call('d')] })];
    expect(told(steps, structuredClone(steps))).toEqual([]);
  });

  it('reports added and removed steps at any depth', () => {
    expect(told([call('a'), call('gone')], [branch('b', [call('c')]), call('a')])).toEqual([
      'gone removed /steps/1 ',
      'b added  /steps/0',
      'c added  /steps/0/then/0',
    ]);
  });

  it('reports the changes of a step by path, without the changes of its inner steps', () => {
    const before = [
      branch('b', [call('c', { arguments: { query: 'x', sort: ['a', 'b'] } })], { else: [] }),
    ];
    const after = [
      branch('b', [call('c', { arguments: { query: 'x', sort: ['a', 'c'] }, timeout: 5 })]),
    ];
    expect(diffSteps(before, after)).toEqual([
      {
        id: 'b',
        change: 'changed',
        from: '/steps/0',
        to: '/steps/0',
        changes: [{ path: '/else', before: [] }],
      },
      {
        id: 'c',
        change: 'changed',
        from: '/steps/0/then/0',
        to: '/steps/0/then/0',
        changes: [
          { path: '/arguments/sort/1', before: 'b', after: 'c' },
          { path: '/timeout', after: 5 },
        ],
      },
    ]);
  });

  it('does not report a step as moved when another step was inserted before it', () => {
    expect(told([call('a'), call('b')], [call('new'), call('a'), call('b')])).toEqual([
      'new added  /steps/0',
    ]);
    expect(told([call('gone'), call('a')], [call('a')])).toEqual(['gone removed /steps/0 ']);
  });

  it('reports as few moved steps as possible', () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => call(id)) as [Step, Step, Step, Step];
    expect(told([a, b, c, d], [d, a, b, c])).toEqual(['d moved /steps/3 /steps/0']);
    expect(told([a, b, c, d], [b, a, c, d])).toHaveLength(1);
  });

  it('reports a step that moved into another list', () => {
    expect(told([call('a'), branch('b', [])], [branch('b', [call('a')])])).toEqual([
      'a moved /steps/0 /steps/0/then/0',
    ]);
    expect(told([branch('b', [call('a')])], [branch('b', [], { else: [call('a')] })])).toEqual([
      'b changed /steps/0 /steps/0 /else',
      'a moved /steps/0/then/0 /steps/0/else/0',
    ]);
    expect(
      told(
        [call('a', { on_error: [call('sorry')] }), call('b')],
        [call('a'), call('b', { on_error: [call('sorry', { timeout: 3 })] })],
      ),
    ).toEqual([
      'a changed /steps/0 /steps/0 /on_error',
      'b changed /steps/1 /steps/1 /on_error',
      'sorry changed /steps/0/on_error/0 /steps/1/on_error/0 /timeout',
    ]);
  });
});

type Json = Record<string, unknown>;

/** Applies every change to the value. */
function patched(before: unknown, changes: readonly JsonChange[]): unknown {
  const root = { '': structuredClone(before) };
  // Changes are applied from the end, so that indexes of arrays stay valid.
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
  it('reports only the paths at which values differ', () => {
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

  it('counts an object as one change when its members would repeat a long path too often', () => {
    const members = (value: number): object =>
      Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`a${index}`, value]));
    const [before, after] = [1, 2].map((value) => ({ ['k'.repeat(60_000)]: members(value) }));
    expect(jsonDiff(before, after)).toHaveLength(1);
    const steps = (value: number): Step[] =>
      Array.from({ length: 40 }, (_, index) =>
        call(`s${index}`, { arguments: { ['k'.repeat(3000)]: members(value) } }),
      );
    // The changes of one step would fit, but the changes of all steps together do not fit.
    expect(JSON.stringify(diffSteps(steps(1), steps(2))).length).toBeLessThan(12_000_000);
  });

  it('contains every change from one value to the other', () => {
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

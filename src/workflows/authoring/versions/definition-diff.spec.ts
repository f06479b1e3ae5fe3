import { describe, expect, it } from 'vitest';
import { diffSteps } from './definition-diff.js';
import type { Step } from '../../definitions/definition.js';

const call = (id: string, more: object = {}): Step => ({ id, tool: 'search_contacts', ...more });
const branch = (id: string, then: Step[], more: object = {}): Step => ({
  id,
  if: 'trigger.payload.vip',
  then,
  ...more,
});
/** `id change from to`, and the paths of the changes. */
const told = (before: Step[], after: Step[]): string[] =>
  diffSteps(before, after).map(({ id, change, from, to, changes }) =>
    [id, change, from, to, ...changes.map(({ path }) => path)].join(' '),
  );

describe(diffSteps, () => {
  it('finds nothing between equal definitions', () => {
    const steps = [call('a'), branch('b', [call('c')], { on_error: [call('d')] })];
    expect(told(steps, structuredClone(steps))).toEqual([]);
  });

  it('tells of steps that are new or gone, however deep they are', () => {
    expect(told([call('a'), call('gone')], [branch('b', [call('c')]), call('a')])).toEqual([
      'gone removed /steps/1 ',
      'b added  /steps/0',
      'c added  /steps/0/then/0',
    ]);
  });

  it('tells what changed of a step, by path, and not of what is inside of it', () => {
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

  it('does not call a step moved that comes later because another was put before it', () => {
    expect(told([call('a'), call('b')], [call('new'), call('a'), call('b')])).toEqual([
      'new added  /steps/0',
    ]);
    expect(told([call('gone'), call('a')], [call('a')])).toEqual(['gone removed /steps/0 ']);
  });

  it('calls as few steps moved as possible', () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => call(id)) as [Step, Step, Step, Step];
    expect(told([a, b, c, d], [d, a, b, c])).toEqual(['d moved /steps/3 /steps/0']);
    expect(told([a, b, c, d], [b, a, c, d])).toHaveLength(1);
  });

  it('tells of a step that went into another list', () => {
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

import { describe, expect, it } from 'vitest';
import type { Step } from './definition.js';
import { DefinitionTooLargeError, readStoredSteps } from './stored-steps.js';

const read = (steps: unknown) => (): unknown => readStoredSteps(steps as Step[]);
const set = (id: string): object => ({ id, set: { a: 1 } });
const sets = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => set(`set_${index}`));
const nest = (levels: number, inner: object[], member: 'then' | 'on_error' = 'then'): object[] =>
  Array.from({ length: levels - 1 }).reduce<object[]>(
    (steps, _, level) => [
      { id: `s_${level}`, ...(member === 'then' ? {} : { set: {} }), [member]: steps },
    ],
    inner,
  );
const nestValue = (levels: number): unknown =>
  Array.from({ length: levels }).reduce((value) => [value], 1 as unknown);

describe(readStoredSteps, () => {
  it.each([
    ['no steps', []],
    [
      '500 steps with on_failure',
      [...sets(499), { id: 'workflow.on_failure', on_failure: sets(1) }],
    ],
    ['10 nested lists', nest(10, sets(1))],
    [
      '10 nested lists in on_failure',
      [{ id: 'workflow.on_failure', on_failure: nest(10, sets(1)) }],
    ],
    ['500 branches without steps', sets(500).map((_, at) => ({ id: `b_${at}`, then: [] }))],
    ['256 KiB', [{ id: 'a', set: { a: 'x'.repeat(255 * 1024) } }]],
    ['a step of an unknown kind', [{ id: 'a', later: [] }]],
    ['a branch whose list is no list', [{ id: 'a', if: 'true', then: 5 }]],
    ['lists beside each other that are no lists', [{ id: 'a', parallel: 5 }]],
  ])('accepts %s', (_, steps) => {
    expect(read(steps)()).toBe(steps);
  });

  it.each([
    ['more than 500 steps', sets(502)],
    ['more than 500 steps in a branch', [{ id: 'a', if: 'true', then: sets(501) }]],
    ['more than 500 steps in on_error', [{ ...set('a'), on_error: sets(501) }]],
    ['12 nested lists', nest(12, sets(1))],
    ['12 nested lists in on_error', nest(12, sets(1), 'on_error')],
    ['100,000 nested lists', nest(100_000, sets(1))],
    [
      'parallel lists without steps',
      [{ id: 'a', parallel: Array.from({ length: 3000 }, () => []) }],
    ],
    ['1,000,000 parallel lists', [{ id: 'a', parallel: Array.from({ length: 1e6 }, () => []) }]],
    ['more than 512 KiB', [{ id: 'a', set: { a: 'x'.repeat(513 * 1024) } }]],
    ['more than 512 KiB of names', [{ id: 'a', set: { ['x'.repeat(513 * 1024)]: 1 } }]],
    ['1,000,000 values', [{ id: 'a', set: { a: Array.from({ length: 1e6 }, () => 0) } }]],
    ['a value that is nested 100,000 deep', [{ id: 'a', set: { a: nestValue(100_000) } }]],
  ])('refuses %s', (_, steps) => {
    expect(read(steps)).toThrow(DefinitionTooLargeError);
  });
});

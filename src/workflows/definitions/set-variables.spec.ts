import { describe, expect, it } from 'vitest';
import type { Step } from './definition.js';
import { setsBefore, stepsOf, VisibleNames } from './set-variables.js';

const set = (id: string, ...names: string[]): Step => ({
  id,
  set: Object.fromEntries(names.map((name) => [name, 1])),
});

const STEPS: Step[] = [
  set('a', 'x'),
  { id: 'branch', if: 'true', then: [set('b', 'x', 'y'), set('c', 'z')], else: [set('d', 'w')] },
  { id: 'both', parallel: [[set('e', 'p')], [set('f', 'q')]] },
  { id: 'each', for_each: [1], steps: [set('g', 'r'), set('h', 's')], output: '{{ vars.r }}' },
  set('i', 't'),
];

describe(setsBefore, () => {
  it('finds the steps that are visible, in the order of the definition', () => {
    const sets = setsBefore(STEPS);
    const before = (id: string) => stepsOf(sets.get(id)).map((step) => step.id);
    expect(before('a')).toEqual([]);
    expect(before('c')).toEqual(['a', 'b']);
    expect(before('d')).toEqual(['a']);
    expect(before('both')).toEqual(['a', 'b', 'c', 'd']);
    expect(before('f')).toEqual(['a', 'b', 'c', 'd']);
    expect(before('h')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    expect(before('each:output')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    expect(before('i')).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });
});

describe(VisibleNames, () => {
  it('returns the visible names of a step, in whatever order the steps are requested', () => {
    const names = new VisibleNames();
    const sets = setsBefore(STEPS);
    const at = (id: string) => [...names.at(sets.get(id)).keys()].sort().join('');
    expect(at('c')).toBe('xy');
    expect(at('d')).toBe('x');
    expect(at('each:output')).toBe('pqrswxyz');
    expect(at('i')).toBe('pqwxyz');
    expect(at('a')).toBe('');
    expect(at('h')).toBe('pqrwxyz');
  });

  it('reads the names of each step at most a few times, however many steps follow', () => {
    let reads = 0;
    const counted = (index: number): Step => ({
      id: `s${index}`,
      set: new Proxy(
        { [`n${index}`]: 1 },
        { ownKeys: (of) => ((reads += 1), Reflect.ownKeys(of)) },
      ),
    });
    const steps = Array.from({ length: 500 }, (_, index) => counted(index));
    const names = new VisibleNames();
    const sets = setsBefore(steps);
    for (const { id } of steps) names.at(sets.get(id));
    expect(reads).toBeLessThan(1500);
  });
});

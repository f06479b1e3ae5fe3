import { describe, expect, it } from 'vitest';
import { type Definition, definitionRows, rowsOf, valueAt } from './definition.ts';
import { moveStep, placeBeside, placeInside, refusalOf } from './move-step.ts';

const definition: Definition = {
  name: 'A',
  trigger: { type: 'manual' },
  steps: [
    { id: 'one', tool: 'a' },
    { id: 'two', if: 'x', then: [{ id: 'yes', tool: 'c' }], else: [] },
    { id: 'each', for_each: '{{ one.list }}', steps: [{ id: 'in', tool: 'd' }] },
    { id: 'both', parallel: [[{ id: 'left', tool: 'e' }], [{ id: 'right', tool: 'f' }]] },
    { id: 'last', tool: 'g' },
  ],
};
const stepAt = (path: string, all = definition) => {
  const row = rowsOf(all.steps).find((each) => each.path === path);
  if (row?.kind !== 'step') throw new Error(`No step at ${path}`);
  return row;
};
const move = (path: string, list: string, index: number) => {
  const moved = moveStep(definition, stepAt(path), { list, index });
  if ('refusal' in moved) throw new Error(moved.refusal);
  return moved;
};

describe(moveStep, () => {
  it('moves a step within its list, and returns its new path', () => {
    const { definition: moved, path } = move('steps[0]', 'steps', 4);
    expect(moved.steps.map(({ id }) => id)).toEqual(['two', 'each', 'both', 'one', 'last']);
    expect(path).toBe('steps[3]');
  });

  it('moves a step into a list of a later step, and returns the changed path', () => {
    const { definition: moved, path } = move('steps[0]', 'steps[1].else', 0);
    expect(path).toBe('steps[0].else[0]');
    expect(valueAt(moved, `${path}.id`)).toBe('one');
    expect(moved.steps).toHaveLength(4);
  });

  it('moves a branch with everything inside it', () => {
    const { definition: moved, path } = move('steps[1]', 'steps[2].steps', 1);
    expect(path).toBe('steps[1].steps[1]');
    expect(valueAt(moved, `${path}.then[0].id`)).toBe('yes');
  });

  it('returns the same definition for the place where the step already is', () => {
    expect(move('steps[1]', 'steps', 1).definition).toBe(definition);
    expect(move('steps[1]', 'steps', 2).definition).toBe(definition);
  });
});

describe(refusalOf, () => {
  it('refuses places inside the step itself', () => {
    expect(refusalOf(definition, stepAt('steps[1]'), { list: 'steps[1].then', index: 0 })).toBe(
      'inside',
    );
  });

  it('refuses to move the only step out of a loop or a parallel list, but not out of a branch', () => {
    const out = { list: 'steps', index: 0 };
    expect(refusalOf(definition, stepAt('steps[2].steps[0]'), out)).toBe('needed');
    expect(refusalOf(definition, stepAt('steps[3].parallel[1][0]'), out)).toBe('needed');
    const race = { ...definition, steps: [{ id: 'r', race: [[{ id: 'a' }], [{ id: 'b' }]] }] };
    expect(refusalOf(race, stepAt('steps[0].race[1][0]', race), out)).toBe('needed');
    expect(refusalOf(definition, stepAt('steps[1].then[0]'), out)).toBeUndefined();
  });

  it('refuses lists that are nested more than ten deep', () => {
    let steps: object[] = [];
    for (let depth = 0; depth < 8; depth += 1) steps = [{ id: `b${depth}`, if: 'x', then: steps }];
    const branch = { id: 'new', if: 'x', then: [] };
    const deep = { ...definition, steps: [branch, ...steps, { id: 'z', tool: 'a' }] } as Definition;
    const list = `steps[1]${'.then[0]'.repeat(7)}.then`;
    expect(refusalOf(deep, stepAt('steps[0]', deep), { list, index: 0 })).toBeUndefined();
    const nested = { ...branch, then: [branch] };
    const deeper = { ...deep, steps: [nested, ...deep.steps.slice(1)] };
    expect(refusalOf(deeper, stepAt('steps[0]', deeper), { list, index: 0 })).toBe('deep');
  });
});

describe('the place to which a key moves a step', () => {
  it('is past the neighbour, or in the next or outer list when the step is at an end of its list', () => {
    expect(placeBeside(definition, stepAt('steps[1]'), 1)).toEqual({ list: 'steps', index: 3 });
    expect(placeBeside(definition, stepAt('steps[0]'), -1)).toEqual({ list: 'steps', index: 0 });
    const yes = stepAt('steps[1].then[0]');
    expect(placeBeside(definition, yes, 1)).toEqual({ list: 'steps[1].else', index: 0 });
    expect(placeBeside(definition, yes, -1)).toEqual({ list: 'steps', index: 1 });
    const left = stepAt('steps[3].parallel[0][0]');
    expect(placeBeside(definition, left, 1)).toEqual({ list: 'steps[3].parallel[1]', index: 0 });
    const last = placeBeside(definition, stepAt('steps[4]'), 1);
    expect(last).toEqual({ list: 'on_failure', index: 0 });
    const moved = moveStep(definition, stepAt('steps[4]'), last);
    if ('refusal' in moved) throw new Error(moved.refusal);
    expect(moved).toMatchObject({
      path: 'on_failure[0]',
      definition: { on_failure: [{ id: 'last' }] },
    });
    const [row] = definitionRows(moved.definition).slice(-1);
    if (row?.kind !== 'step') throw new Error('No step in on_failure');
    expect(placeBeside(moved.definition, row, -1)).toEqual({ list: 'steps', index: 4 });
  });

  it('is in the nearest list of the neighbour when the step moves into the neighbour', () => {
    expect(placeInside(definition, stepAt('steps[0]'), 1)).toEqual({
      list: 'steps[1].then',
      index: 0,
    });
    expect(placeInside(definition, stepAt('steps[4]'), -1)).toEqual({
      list: 'steps[3].parallel[1]',
      index: 1,
    });
    expect(placeInside(definition, stepAt('steps[4]'), 1)).toBeUndefined();
  });
});

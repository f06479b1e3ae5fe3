import { describe, expect, it } from 'vitest';
import {
  type Definition,
  changeAt,
  definitionRows,
  freeId,
  insertStep,
  removeStep,
  rowsOf,
  valueAt,
} from './definition.ts';
import { earlierOutputs } from './earlier-outputs.ts';

const definition: Definition = {
  name: 'A',
  trigger: { type: 'manual' },
  steps: [
    { id: 'one', tool: 'a', on_error: [{ id: 'sorry', tool: 'b' }] },
    { id: 'two', if: 'x', then: [{ id: 'yes', tool: 'c' }], else: [] },
    { id: 'each', for_each: '{{ one.list }}', as: 'man', steps: [{ id: 'in', tool: 'd' }] },
    { id: 'both', parallel: [[{ id: 'left', tool: 'e' }], [{ id: 'right', tool: 'f' }]] },
    { id: 'last', tool: 'g' },
  ],
};
const stepAt = (path: string) => {
  const row = rowsOf(definition.steps).find((each) => each.path === path);
  if (row?.kind !== 'step') throw new Error(`No step at ${path}`);
  return row;
};

describe(rowsOf, () => {
  it('has every step and list, with the paths that the service writes in faults', () => {
    expect(rowsOf(definition.steps).map(({ path }) => path)).toEqual([
      'steps[0]',
      'steps[0].on_error',
      'steps[0].on_error[0]',
      'steps[1]',
      'steps[1].then',
      'steps[1].then[0]',
      'steps[1].else',
      'steps[2]',
      'steps[2].steps',
      'steps[2].steps[0]',
      'steps[3]',
      'steps[3].parallel[0]',
      'steps[3].parallel[0][0]',
      'steps[3].parallel[1]',
      'steps[3].parallel[1][0]',
      'steps[4]',
    ]);
  });
});

describe(definitionRows, () => {
  it('has the steps of on_failure in a separate list, which exists even when it is empty', () => {
    const later = { ...definition, steps: [{ id: 'a' }], on_failure: [{ id: 'b', tool: 'x' }] };
    expect(definitionRows(later).map(({ path, depth }) => `${path} ${depth}`)).toEqual([
      'steps[0] 1',
      'on_failure 1',
      'on_failure[0] 2',
    ]);
    expect(definitionRows(definition).at(-1)).toMatchObject({ path: 'on_failure', length: 0 });
    expect(insertStep(definition, 'on_failure', 0, { id: 'b' }).on_failure).toEqual([{ id: 'b' }]);
  });
});

describe('changes of a definition', () => {
  it('insert into an empty list inside a branch', () => {
    const step = { id: 'no', tool: 'x' };
    expect(valueAt(insertStep(definition, 'steps[1].else', 0, step), 'steps[1].else')).toEqual([
      step,
    ]);
    expect(valueAt(definition, 'steps[1].else')).toEqual([]);
  });

  it('remove a step, and set a value deep inside', () => {
    expect(removeStep(definition, stepAt('steps[3].parallel[1][0]')).steps[3]).toEqual({
      id: 'both',
      parallel: [[{ id: 'left', tool: 'e' }], []],
    });
    const named = changeAt(definition, 'steps[1].then[0].tool', () => 'z');
    expect(valueAt(named, 'steps[1].then[0].tool')).toBe('z');
  });

  it('give a new step an id that no other step has', () => {
    expect(freeId(definition.steps, 'one')).toBe('one_2');
    expect(freeId(definition.steps, '9 Lives')).toBe('lives');
  });
});

describe(earlierOutputs, () => {
  const names = (path: string) =>
    new Set(earlierOutputs(definition, path, new Map()).map(({ expression }) => expression));

  it('offers the values of the failure and the outputs of all other steps to the steps of on_failure', () => {
    const later = { ...definition, on_failure: [{ id: 'b', tool: 'x' }] };
    const seen = earlierOutputs(later, 'on_failure[0]', new Map()).map((each) => each.expression);
    expect(seen).toEqual(expect.arrayContaining(['failure.error.message', 'last', 'one']));
  });

  it('offers earlier steps, except steps inside branches and loops', () => {
    const seen = names('steps[4]');
    expect([...seen]).toEqual(expect.arrayContaining(['one', 'two', 'each', 'left', 'right']));
    for (const hidden of ['yes', 'in', 'sorry', 'man', 'last']) {
      expect(seen.has(hidden), hidden).toBe(false);
    }
  });

  it('offers the item inside a loop and the failed step in on_error, and never steps of another list', () => {
    expect(names('steps[2].steps[0]').has('man')).toBe(true);
    expect(names('steps[0].on_error[0]').has('one.error.message')).toBe(true);
    expect(names('steps[3].parallel[1][0]').has('left')).toBe(false);
  });

  it('offers the values that earlier steps set, also inside branches, but not inside loops', () => {
    const steps = [
      { id: 'first', set: { total: 1, name: 'x' } },
      { id: 'choice', if: 'x', then: [{ id: 'yes', set: { total: 2, extra: 3 } }] },
      { id: 'each', for_each: [1], steps: [{ id: 'in', set: { inner: 1 } }] },
      { id: 'last', tool: 'g' },
    ];
    const offered = earlierOutputs({ ...definition, steps }, 'steps[3]', new Map())
      .map(({ expression }) => expression)
      .filter((expression) => /^(?:vars|first|yes)/.test(expression));
    expect(offered).toEqual(['vars.total', 'vars.extra', 'vars.name']);
  });
});

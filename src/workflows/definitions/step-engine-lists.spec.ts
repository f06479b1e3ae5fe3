import { describe, expect, it } from 'vitest';
import { inWords, next, ok, tool } from '../../../test/workflows/support/step-plans.js';
import type { Step } from './definition.js';
import { planOf } from './step-engine.js';
import type { JournalState } from './steps/step-kind.js';

describe(planOf, () => {
  describe('with parallel lists', () => {
    const steps: Step[] = [
      {
        id: 'both',
        parallel: [
          [tool('a1'), tool('a2')],
          [{ id: 'pause', wait: { days: 1 } }, tool('b2')],
          [{ id: 'deep', parallel: [[tool('c1')], [tool('d1')]] }],
        ],
      },
      tool('after'),
    ];
    const waiting: JournalState = { status: 'waiting', dueAt: 1001 };
    const failed: JournalState = { status: 'failed' };
    const beside = { pause: ok, b2: ok, deep: ok, c1: ok, d1: ok };
    it.each<[string, Record<string, JournalState>, string]>([
      ['opens the parallel step first', {}, 'run both'],
      ['continues when the parallel step is skipped', { both: { status: 'skipped' } }, 'run after'],
      ['runs the first step of each list', { both: ok }, 'run a1, run pause, run deep'],
      [
        'continues each list independently',
        { both: ok, a1: ok, pause: waiting, deep: ok },
        'run a2, run c1, run d1, sleep pause',
      ],
      ['waits for the last list', { both: ok, ...beside, a1: ok }, 'run a2'],
      ['continues after all lists', { both: ok, ...beside, a1: ok, a2: ok }, 'run after'],
      ['begins nothing after a failure', { both: ok, a1: failed }, 'failed at a1'],
      ['reports the first failure', { both: ok, deep: ok, d1: failed, c1: failed }, 'failed at c1'],
    ])('%s', (_title, journal, expected) => {
      expect(next(journal, steps)).toBe(expected);
    });
  });

  describe('with a loop', () => {
    const loop = (more: object): Step[] => [
      { id: 'each', for_each: [], steps: [tool('a'), tool('b')], ...more },
      tool('after'),
    ];
    const open = (count: number): JournalState => ({
      status: 'running',
      input: { items: Array.from({ length: count }, (_, index) => index) },
    });
    it.each<[string, unknown]>([
      ['an object with a length', { length: 5 }],
      ['more items than a loop can have', Array.from({ length: 100_001 })],
      ['undefined', undefined],
    ])('throws when the stored items of the loop are %s', (_title, items) => {
      const each: JournalState = { status: 'running', input: { items } };
      expect(() => next({ each }, loop({ steps: [] }))).toThrow('no list of at most 100000 items');
    });

    it('has no iterations when a stored definition has a loop without steps', () => {
      const { ready, doneIterations } = planOf(
        loop({ steps: [] }),
        new Map([['each', open(100_000)]]),
      );
      expect(doneIterations).toEqual([]);
      expect(ready.map(({ path }) => path)).toEqual(['each']);
    });

    it('runs at most 10 items at a time, whatever concurrency a stored definition has', () => {
      const journal = new Map([['each', open(1000)]]);
      expect(planOf(loop({ concurrency: 1000 }), journal).ready).toHaveLength(10);
    });

    it('is planned from the number of items when the items are unknown', () => {
      const each: JournalState = { status: 'running', itemCount: 3 };
      expect(next({ each, 'each[0].a': ok, 'each[0].b': ok }, loop({}))).toBe('run each[1].a');
      expect(() => next({ each: { ...each, itemCount: 100_001 } }, loop({}))).toThrow(
        'at most 100000 items',
      );
    });

    it.each<[string, object]>([
      [
        'a number that cannot be counted up',
        { done: 2 ** 53, pages: { read: 1, firstItem: 1e17 } },
      ],
      ['a negative number', { done: -1 }],
      ['a text', { done: '1' }],
      ['a fraction', { done: 0, pages: { read: 0.5, firstItem: 0 } }],
      ['missing', { done: 0, pages: {} }],
    ])('throws when the stored position of the loop is %s', (_title, progress) => {
      const each: JournalState = { ...open(3), progress };
      expect(() => next({ each }, loop({}))).toThrow('no position');
    });

    it.each<[string, number, Record<string, JournalState>, string]>([
      ['runs one item at a time', 1, { each: open(3) }, 'run each[0].a'],
      [
        'runs the steps of an item in order',
        1,
        { each: open(3), 'each[0].a': ok },
        'run each[0].b',
      ],
      [
        'continues with the next item',
        1,
        { each: open(3), 'each[0].a': ok, 'each[0].b': ok },
        'run each[1].a',
      ],
      ['runs several items at the same time', 2, { each: open(3) }, 'run each[0].a, run each[1].a'],
      [
        'starts another item when one item is done',
        2,
        { each: open(4), 'each[1].a': ok, 'each[1].b': ok },
        'run each[0].a, run each[2].a',
      ],
      [
        'counts a waiting item as running',
        2,
        { each: open(4), 'each[0].a': { status: 'waiting', dueAt: 1001 }, 'each[1].a': ok },
        'run each[1].b, sleep each[0].a',
      ],
      ['ends the loop when all items are done', 9, { each: open(0) }, 'run each'],
      [
        'continues after the loop',
        1,
        { each: { status: 'succeeded', output: { count: 3 } } },
        'run after',
      ],
      [
        'begins nothing after a failure',
        3,
        { each: open(9), 'each[1].b': { status: 'failed' }, 'each[1].a': ok },
        'failed at each[1].b',
      ],
    ])('%s', (_title, concurrency, journal, expected) => {
      expect(next(journal, loop({ concurrency }))).toBe(expected);
    });

    it('does not read the entries of finished iterations', () => {
      const journal = new Map([['each', open(3)]]);
      const { doneIterations } = planOf(
        loop({}),
        new Map([...journal, ['each[0].a', ok], ['each[0].b', ok]]),
      );
      expect(doneIterations).toEqual(['each[0]']);
      expect(inWords(loop({}), journal, new Set(doneIterations))).toBe('run each[1].a');
    });

    it('gives steps in nested loops separate paths, and returns the iterations around a step', () => {
      const steps: Step[] = [
        { id: 'out', for_each: [], steps: [{ id: 'in', for_each: [], steps: [tool('x')] }] },
      ];
      const journal = new Map([
        ['out', open(2)],
        ['out[0].in', open(2)],
        ['out[0].in[0].x', ok],
      ]);
      const [place] = planOf(steps, journal).ready;
      expect(place!.path).toBe('out[0].in[1].x');
      expect(place!.iterations.map((iteration) => [iteration.loop.path, iteration.index])).toEqual([
        ['out', 0],
        ['out[0].in', 1],
      ]);
    });
  });
});

describe('a race', () => {
  const race: Step[] = [
    { id: 'r', race: [[tool('a'), tool('b')], [{ id: 'w', wait: { days: 1 } }], [tool('c')]] },
    tool('after'),
  ];
  const open: JournalState = { status: 'running' };
  const sleeps: JournalState = { status: 'waiting', dueAt: 2000 };

  it.each<[string, Record<string, JournalState>, string]>([
    ['runs all lists', { r: open }, 'run a, run w, run c'],
    ['continues in each list', { r: open, a: ok, w: sleeps, c: open }, 'run b, run c, sleep w'],
    ['ends when one list is done', { r: open, a: open, w: ok, c: sleeps }, 'run r'],
    ['ignores a failure once a list is done', { r: open, a: { status: 'failed' }, w: ok }, 'run r'],
    [
      'fails when a list fails before another list is done',
      { r: open, a: { status: 'failed' } },
      'failed at a',
    ],
    ['plans nothing inside after its end', { r: ok, a: open, w: ok, c: sleeps }, 'run after'],
  ])('%s', (_what, journal, expected) => {
    expect(next(journal, race)).toBe(expected);
  });

  it('has the first list as winner when several lists are done', () => {
    const journal = new Map<string, JournalState>(Object.entries({ r: open, w: ok, c: ok }));
    expect([...planOf(race, journal).winners]).toEqual([['r', 1]]);
  });
});

import type { JournalState } from './steps/step-kind.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IS_THOROUGH } from '../../../test/support/thorough.js';
import type { Step } from './definition.js';
import { FAILURE_STEP_ID, joinSteps } from './steps/failure-step.js';
import { TIMEOUT_STEP_ID, withTimeoutStep } from './steps/timeout-step.js';
import { type Journal, planOf } from './step-engine.js';

const tool = (id: string, more: object = {}): Step => ({ id, tool: 'echo', ...more });
const STEPS: Step[] = [
  tool('a'),
  {
    id: 'b',
    if: 'x',
    then: [tool('b1'), { id: 'b2', if: 'y', then: [tool('b21')] }],
    else: [tool('b3')],
  },
  { id: 'c', wait: { days: 1 } },
  tool('d', { on_error: 'continue' }),
  tool('e'),
];

const NOW = 1000;

/** Describes what can be done next in words: `run a, sleep b`. */
function next(journal: Record<string, JournalState>, steps = STEPS): string {
  return inWords(steps, new Map(Object.entries(journal)));
}

function inWords(steps: readonly Step[], journal: Journal, passed?: ReadonlySet<string>): string {
  const { ready, waiting, end } = planOf(steps, journal, passed, NOW);
  const words = [
    ...ready.map(({ path }) => `run ${path}`),
    ...waiting.map(({ path }) => `sleep ${path}`),
  ];
  if (!end) return words.join(', ');
  expect(words).toEqual([]);
  return end.at ? `${end.status} at ${end.at.path}` : end.status;
}

const ok: JournalState = { status: 'succeeded' };
const then: JournalState = { status: 'succeeded', output: { branch: 'then' } };
const otherwise: JournalState = { status: 'succeeded', output: { branch: 'else' } };

describe(planOf, () => {
  it.each<[string, Record<string, JournalState>, string]>([
    ['begins with the first step', {}, 'run a'],
    ['repeats a step whose worker died', { a: { status: 'running' } }, 'run a'],
    ['repeats a step that waits for its next attempt', { a: { status: 'waiting' } }, 'run a'],
    ['ends at a failed step', { a: { status: 'failed' } }, 'failed at a'],
    ['continues after a skipped step', { a: { status: 'skipped' } }, 'run b'],
    ['runs the list "then"', { a: ok, b: then }, 'run b1'],
    ['runs the list "else"', { a: ok, b: otherwise }, 'run b3'],
    ['runs a branch inside a branch', { a: ok, b: then, b1: ok }, 'run b2'],
    ['fails inside a branch', { a: ok, b: then, b1: { status: 'failed' } }, 'failed at b1'],
    ['continues after a branch without else', { a: ok, b: then, b1: ok, b2: otherwise }, 'run c'],
    [
      'waits while a wait is not due',
      { a: ok, b: otherwise, b3: ok, c: { status: 'waiting', dueAt: 1001 } },
      'sleep c',
    ],
    [
      'repeats a wait that is due',
      { a: ok, b: otherwise, b3: ok, c: { status: 'waiting', dueAt: 1000 } },
      'run c',
    ],
    [
      'fails at a failed wait',
      { a: ok, b: otherwise, b3: ok, c: { status: 'failed' } },
      'failed at c',
    ],
    [
      'continues after a failure with on_error "continue"',
      { a: ok, b: otherwise, b3: ok, c: ok, d: { status: 'failed' } },
      'run e',
    ],
    [
      'succeeds after the last step',
      { a: ok, b: otherwise, b3: ok, c: ok, d: ok, e: ok },
      'succeeded',
    ],
  ])('%s', (_title, journal, expected) => {
    expect(next(journal)).toBe(expected);
  });

  describe('after a failure with on_error steps', () => {
    const steps: Step[] = [
      tool('a', { on_error: [tool('a1'), tool('a2', { on_error: 'continue' })] }),
      { id: 'b', if: 'x', then: [tool('b1')], else: [tool('b2')], on_error: 'continue' },
      { id: 'c', wait: { days: 1 }, on_error: [tool('c1')] },
    ];
    const failed: JournalState = { status: 'failed' };
    it.each<[string, Record<string, JournalState>, string]>([
      ['skips on_error steps without a failure', { a: ok }, 'run b'],
      ['skips on_error steps when the step is skipped', { a: { status: 'skipped' } }, 'run b'],
      [
        'does not run on_error steps before the last attempt',
        { a: { status: 'waiting' } },
        'run a',
      ],
      ['runs on_error steps after a failure', { a: failed }, 'run a1'],
      ['runs on_error steps in order', { a: failed, a1: ok }, 'run a2'],
      ['continues after on_error steps', { a: failed, a1: ok, a2: ok }, 'run b'],
      ['fails when an on_error step fails', { a: failed, a1: failed }, 'failed at a1'],
      [
        'continues when an on_error step with on_error "continue" fails',
        { a: failed, a1: ok, a2: failed },
        'run b',
      ],
      ['runs neither list of a failed branch', { a: ok, b: failed }, 'run c'],
      ['runs on_error steps of a wait', { a: ok, b: failed, c: failed }, 'run c1'],
      ['succeeds after on_error steps', { a: ok, b: failed, c: failed, c1: ok }, 'succeeded'],
    ])('%s', (_title, journal, expected) => {
      expect(next(journal, steps)).toBe(expected);
    });
  });

  describe('with on_failure', () => {
    const onFailure = [tool('f1'), tool('f2', { on_error: 'continue' })];
    const steps = joinSteps({ steps: [tool('a'), tool('b')], onFailure });
    const failed: JournalState = { status: 'failed' };
    const begun = { a: ok, b: failed, [FAILURE_STEP_ID]: ok };
    it.each<[string, Record<string, JournalState>, string]>([
      ['succeeds without its steps', { a: ok, b: ok }, 'succeeded'],
      ['waits for the last attempt', { a: { status: 'waiting', dueAt: 1001 } }, 'sleep a'],
      ['begins after a failure', { a: ok, b: failed }, `run ${FAILURE_STEP_ID}`],
      ['runs its steps in order', begun, 'run f1'],
      ['waits in its steps', { ...begun, f1: { status: 'waiting', dueAt: 1001 } }, 'sleep f1'],
      [
        'fails at the first failure after its last step',
        { ...begun, f1: ok, f2: ok },
        'failed at b',
      ],
      [
        'fails at the first failure when one of its steps fails',
        { ...begun, f1: failed },
        'failed at b',
      ],
      ['handles the failures of its steps', { ...begun, f1: ok, f2: failed }, 'failed at b'],
    ])('%s', (_title, journal, expected) => {
      expect(next(journal, steps)).toBe(expected);
    });
  });

  it('ends a run without steps at once', () => {
    expect(next({}, [])).toBe('succeeded');
  });

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

  it('ends at a stop, but fails when another step fails at the same time', () => {
    const steps: Step[] = [
      { id: 'both', parallel: [[{ id: 'enough', stop: 'succeeded' }], [tool('a'), tool('b')]] },
      tool('after'),
    ];
    expect(next({ both: ok, a: ok, enough: ok }, steps)).toBe('succeeded at enough');
    expect(next({ both: ok, a: { status: 'failed' }, enough: ok }, steps)).toBe('failed at a');
    expect(next({ both: ok, enough: { status: 'skipped' } }, steps)).toBe('run a');
    expect(next({ both: ok, a: ok, enough: { status: 'failed' } }, steps)).toBe('failed at enough');
  });

  it('always ends and runs no step twice, for all branches and all orders of completion', () => {
    const steps: Step[] = [
      ...STEPS,
      {
        id: 'f',
        for_each: [],
        concurrency: 2,
        steps: [{ id: 'g', parallel: [[tool('h')], [{ id: 'i', if: 'x', then: [tool('j')] }]] }],
      },
    ];
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 60, maxLength: 60 }), (choices) => {
        const journal = new Map<string, JournalState>();
        for (const choice of choices) {
          const { ready, end } = planOf(steps, journal);
          if (end) return end.status === 'succeeded';
          const { step, path } = ready[choice % ready.length]!;
          const isOpen = journal.get(path)?.status === 'running';
          if (journal.has(path) && !isOpen) return false;
          if ('for_each' in step && !isOpen) {
            journal.set(path, { status: 'running', input: { items: [1, 2, 3] } });
          } else if ('then' in step) journal.set(path, choice % 3 === 0 ? then : otherwise);
          else journal.set(path, ok);
        }
        return false;
      }),
      { numRuns: IS_THOROUGH ? 1000 : 30 },
    );
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
    ['goes on in each list', { r: open, a: ok, w: sleeps, c: open }, 'run b, run c, sleep w'],
    ['ends when one list is done', { r: open, a: open, w: ok, c: sleeps }, 'run r'],
    ['ignores a failure once a list is done', { r: open, a: { status: 'failed' }, w: ok }, 'run r'],
    ['fails with a list before that', { r: open, a: { status: 'failed' } }, 'failed at a'],
    ['plans nothing inside after its end', { r: ok, a: open, w: ok, c: sleeps }, 'run after'],
  ])('%s', (_what, journal, expected) => {
    expect(next(journal, race)).toBe(expected);
  });

  it('is won by the first of several lists that are done', () => {
    const journal = new Map<string, JournalState>(Object.entries({ r: open, w: ok, c: ok }));
    expect([...planOf(race, journal).winners]).toEqual([['r', 1]]);
  });
});

describe('the timeout of a run', () => {
  const steps = withTimeoutStep(60, [tool('a'), tool('b')]);
  const open: JournalState = { status: 'waiting', dueAt: NOW + 1 };
  const over: JournalState = { status: 'waiting', dueAt: NOW };
  const failed: JournalState = { status: 'failed' };
  const handling = joinSteps({ steps, onFailure: [tool('h')] });

  it.each<[string, Record<string, JournalState>, string]>([
    ['begins before the first step', {}, `run ${TIMEOUT_STEP_ID}`],
    ['begins again after a retry', { a: ok }, `run ${TIMEOUT_STEP_ID}`],
    ['waits beside the steps', { [TIMEOUT_STEP_ID]: open }, `run a, sleep ${TIMEOUT_STEP_ID}`],
    ['does not keep a run open', { [TIMEOUT_STEP_ID]: open, a: ok, b: ok }, 'succeeded'],
    ['does not end a run that is done', { [TIMEOUT_STEP_ID]: over, a: ok, b: ok }, 'succeeded'],
    [
      'lets nothing else begin when it is over',
      { [TIMEOUT_STEP_ID]: over },
      `run ${TIMEOUT_STEP_ID}`,
    ],
    ['ends the run', { [TIMEOUT_STEP_ID]: failed, a: ok }, `failed at ${TIMEOUT_STEP_ID}`],
    ['does not hide a failure before it', { [TIMEOUT_STEP_ID]: over, a: failed }, 'failed at a'],
    [
      'is the failure when a step fails after it',
      { [TIMEOUT_STEP_ID]: failed, a: failed },
      `failed at ${TIMEOUT_STEP_ID}`,
    ],
  ])('%s', (_claim, journal, expected) => {
    expect(next(journal, steps as Step[])).toBe(expected);
  });

  it('runs the steps of on_failure, which it does not end', () => {
    const ended = { [TIMEOUT_STEP_ID]: failed };
    expect(next(ended, handling)).toBe(`run ${FAILURE_STEP_ID}`);
    const begun = { [TIMEOUT_STEP_ID]: over, a: failed, [FAILURE_STEP_ID]: ok };
    expect(next(begun, handling)).toBe('run h');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IS_THOROUGH } from '../../../test/support/thorough.js';
import { next, ok, otherwise, then, tool } from '../../../test/workflows/support/step-plans.js';
import type { Step } from './definition.js';
import { planOf } from './step-engine.js';
import type { JournalState } from './steps/step-kind.js';

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
    expect(next(journal, STEPS)).toBe(expected);
  });

  it('immediately ends a run that has no steps', () => {
    expect(next({}, [])).toBe('succeeded');
  });

  it('ends a run at a stop step, but fails the run when another step fails at the same time', () => {
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

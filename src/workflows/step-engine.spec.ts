import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Step } from './definition.js';
import { type JournalState, nextAction } from './step-engine.js';

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

function next(journal: Record<string, JournalState>): string {
  const action = nextAction(STEPS, new Map(Object.entries(journal)));
  return action.kind === 'finish' ? 'finish' : `${action.kind} ${action.step.id}`;
}

const ok: JournalState = { status: 'succeeded' };
const then: JournalState = { status: 'succeeded', output: { branch: 'then' } };
const otherwise: JournalState = { status: 'succeeded', output: { branch: 'else' } };

describe(nextAction, () => {
  it.each<[string, Record<string, JournalState>, string]>([
    ['begins with the first step', {}, 'run a'],
    ['calls a step again whose worker died', { a: { status: 'running' } }, 'run a'],
    ['calls a step again that waits for it', { a: { status: 'waiting' } }, 'run a'],
    ['ends at a failed step', { a: { status: 'failed' } }, 'fail a'],
    ['passes a skipped step', { a: { status: 'skipped' } }, 'run b'],
    ['enters then', { a: ok, b: then }, 'run b1'],
    ['enters else', { a: ok, b: otherwise }, 'run b3'],
    ['enters a branch in a branch', { a: ok, b: then, b1: ok }, 'run b2'],
    ['fails inside a branch', { a: ok, b: then, b1: { status: 'failed' } }, 'fail b1'],
    ['passes a branch without else', { a: ok, b: then, b1: ok, b2: otherwise }, 'run c'],
    [
      'sleeps while a wait is not due',
      { a: ok, b: otherwise, b3: ok, c: { status: 'waiting', due: false } },
      'sleep c',
    ],
    [
      'wakes when it is due',
      { a: ok, b: otherwise, b3: ok, c: { status: 'waiting', due: true } },
      'run c',
    ],
    ['fails at a failed wait', { a: ok, b: otherwise, b3: ok, c: { status: 'failed' } }, 'fail c'],
    [
      'goes on after a failure that may be',
      { a: ok, b: otherwise, b3: ok, c: ok, d: { status: 'failed' } },
      'run e',
    ],
    ['finishes', { a: ok, b: otherwise, b3: ok, c: ok, d: ok, e: ok }, 'finish'],
  ])('%s', (_title, journal, expected) => {
    expect(next(journal)).toBe(expected);
  });

  describe('after a failure with steps of its own', () => {
    const steps: Step[] = [
      tool('a', { on_error: [tool('a1'), tool('a2', { on_error: 'continue' })] }),
      { id: 'b', if: 'x', then: [tool('b1')], else: [tool('b2')], on_error: 'continue' },
      { id: 'c', wait: { days: 1 }, on_error: [tool('c1')] },
    ];
    const failed: JournalState = { status: 'failed' };
    it.each<[string, Record<string, JournalState>, string]>([
      ['passes them by without a failure', { a: ok }, 'run b'],
      ['passes them by when skipped', { a: { status: 'skipped' } }, 'run b'],
      ['waits with them for the last attempt', { a: { status: 'waiting' } }, 'run a'],
      ['takes them', { a: failed }, 'run a1'],
      ['takes them in order', { a: failed, a1: ok }, 'run a2'],
      ['goes on after them', { a: failed, a1: ok, a2: ok }, 'run b'],
      ['fails with them', { a: failed, a1: failed }, 'fail a1'],
      ['goes on where they may fail', { a: failed, a1: ok, a2: failed }, 'run b'],
      ['enters neither list of a failed branch', { a: ok, b: failed }, 'run c'],
      ['takes those of a wait', { a: ok, b: failed, c: failed }, 'run c1'],
      ['finishes', { a: ok, b: failed, c: failed, c1: ok }, 'finish'],
    ])('%s', (_title, journal, expected) => {
      const action = nextAction(steps, new Map(Object.entries(journal)));
      expect(action.kind === 'finish' ? 'finish' : `${action.kind} ${action.step.id}`).toBe(
        expected,
      );
    });
  });

  it('finishes at once without steps', () => {
    expect(nextAction([], new Map()).kind).toBe('finish');
  });

  it('always ends, and meets no step twice, however branches choose', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }), (choices) => {
        const journal = new Map<string, JournalState>();
        const left = [...choices];
        for (let turn = 0; turn < 20; turn += 1) {
          const action = nextAction(STEPS, journal);
          if (action.kind === 'finish') return true;
          if (journal.has(action.step.id)) return false;
          journal.set(action.step.id, 'then' in action.step ? (left.pop() ? then : otherwise) : ok);
        }
        return false;
      }),
    );
  });
});

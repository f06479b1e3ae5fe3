import { describe, expect, it } from 'vitest';
import { next, NOW, ok, tool } from '../../../test/workflows/support/step-plans.js';
import type { Step } from './definition.js';
import { FAILURE_STEP_ID, joinSteps } from './steps/failure-step.js';
import { planOf } from './step-engine.js';
import type { JournalState } from './steps/step-kind.js';
import { TIMEOUT_STEP_ID, withTimeoutStep } from './steps/timeout-step.js';

describe(planOf, () => {
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
      'stays the reason for the failure when a step fails later',
      { [TIMEOUT_STEP_ID]: failed, a: failed },
      `failed at ${TIMEOUT_STEP_ID}`,
    ],
  ])('%s', (_claim, journal, expected) => {
    expect(next(journal, steps as Step[])).toBe(expected);
  });

  it('leads to the steps of on_failure, and does not end them', () => {
    const ended = { [TIMEOUT_STEP_ID]: failed };
    expect(next(ended, handling)).toBe(`run ${FAILURE_STEP_ID}`);
    const begun = { [TIMEOUT_STEP_ID]: over, a: failed, [FAILURE_STEP_ID]: ok };
    expect(next(begun, handling)).toBe('run h');
  });
});

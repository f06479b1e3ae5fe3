import type { StepStatus } from '../definitions/steps/step-kind.js';
import { describe, expect, it } from 'vitest';
import type { Step } from '../definitions/definition.js';
import { FAILURE_STEP_ID, joinSteps } from '../definitions/steps/failure-step.js';
import { TIMEOUT_STEP_ID, withTimeoutStep } from '../definitions/steps/timeout-step.js';
import { type ReachedStep, createRetryPlan } from './run-retry-plan.js';

const call = (id: string, tool = 'send', more: object = {}): Step => ({ id, tool, ...more });
const reached = (stepId: string, status: StepStatus): ReachedStep => ({ stepId, status });

describe(createRetryPlan, () => {
  const before = [call('a'), call('b'), call('c')];
  const journal = [reached('a', 'succeeded'), reached('b', 'failed')];

  it('repeats the step whose failure ended the run', () => {
    expect(createRetryPlan(journal, before, before)).toEqual({
      again: ['b'],
      reopened: [],
      gone: [],
    });
  });

  it('keeps failed steps after which the run continued', () => {
    const steps = [call('a', 'send', { on_error: 'continue' }), call('b')];
    const failed = [reached('a', 'failed'), reached('b', 'failed')];
    expect(createRetryPlan(failed, steps, steps)).toEqual({ again: ['b'], reopened: [], gone: [] });
  });

  it('repeats a failed step after which the run continued, if the later version would end the run there', () => {
    const old = [call('a', 'send', { on_error: 'continue' }), call('b')];
    const failed = [reached('a', 'failed'), reached('b', 'failed')];
    expect(createRetryPlan(failed, [call('a'), call('b')], old)).toEqual({
      again: ['a', 'b'],
      reopened: [],
      gone: [],
    });
  });

  it('deletes the steps of on_failure, even if one version uses their ids outside of on_failure', () => {
    const handling = joinSteps({ steps: before, onFailure: [call('d')] });
    const all = [
      ...journal,
      reached(FAILURE_STEP_ID, 'succeeded'),
      reached('d', 'succeeded'),
      reached('c', 'waiting'),
    ];
    const gone = [FAILURE_STEP_ID, 'd'];
    expect(createRetryPlan(all, handling, handling)).toEqual({ again: ['b'], reopened: [], gone });
    expect(createRetryPlan(all, [...before, call('d', 'post')], handling).gone).toEqual(gone);
    const later = joinSteps({ steps: before.slice(1), onFailure: [call('a')] });
    expect(createRetryPlan(journal, later, before)).toEqual({
      again: ['b'],
      reopened: [],
      gone: ['a'],
    });
  });

  it.each<StepStatus>(['waiting', 'failed', 'skipped'])(
    'deletes the timeout that is %s, because its time begins again',
    (status) => {
      const limited = withTimeoutStep(60, before);
      const all = [reached(TIMEOUT_STEP_ID, status), ...journal];
      const plan = { again: ['b'], reopened: [], gone: [TIMEOUT_STEP_ID] };
      expect(createRetryPlan(all, limited, limited)).toEqual(plan);
      expect(createRetryPlan(all, before, limited)).toEqual(plan);
    },
  );

  it('deletes the failed output of an item, and keeps the outputs of other items', () => {
    const loop: Step = { id: 'each', for_each: [1, 2], steps: [call('a')], output: '{{ a }}' };
    const all = [
      reached('each', 'running'),
      reached('each[0].a', 'succeeded'),
      reached('each[0].each:output', 'succeeded'),
      reached('each[1].a', 'succeeded'),
      reached('each[1].each:output', 'failed'),
    ];
    const plan = { again: [], reopened: [], gone: ['each[1].each:output'] };
    expect(createRetryPlan(all, [loop], [loop])).toEqual(plan);
  });

  it('continues a failed loop whose finished iterations are folded, and repeats any other failed loop', () => {
    const loop: Step = { id: 'each', for_each: '{{ x }}', steps: [call('a')] };
    const failed = reached('each', 'failed');
    expect(createRetryPlan([{ ...failed, hasProgress: true }], [loop], [loop])).toEqual({
      again: [],
      reopened: ['each'],
      gone: [],
    });
    expect(createRetryPlan([failed], [loop], [loop]).gone).toEqual(['each']);
  });

  it('deletes failed steps that were removed or changed, and keeps finished steps', () => {
    expect(createRetryPlan(journal, [call('a'), call('other')], before).gone).toEqual(['b']);
    expect(createRetryPlan(journal, [call('a'), call('b', 'post')], before)).toEqual({
      again: [],
      reopened: [],
      gone: ['b'],
    });
    expect(createRetryPlan(journal, [call('b')], before)).toEqual({
      again: ['b'],
      reopened: [],
      gone: [],
    });
  });

  it('deletes unfinished entries of steps that were changed', () => {
    const old: Step[] = [{ id: 'pause', wait: { days: 1 } }, call('b')];
    const open = [reached('pause', 'waiting')];
    expect(createRetryPlan(open, [call('pause')], old)).toEqual({
      again: [],
      reopened: [],
      gone: ['pause'],
    });
    expect(createRetryPlan(open, old, old)).toEqual({ again: [], reopened: [], gone: [] });
  });

  it('repeats an interrupted call with new arguments when the later version changed the arguments', () => {
    const open = [reached('b', 'running'), reached('c', 'waiting')];
    const edited = [call('a'), call('b', 'send', { arguments: { x: 1 } }), call('c')];
    expect(createRetryPlan(open, edited, before)).toEqual({ again: ['b'], reopened: [], gone: [] });
    expect(createRetryPlan(open, before, before)).toEqual({ again: [], reopened: [], gone: [] });
  });

  it.each([
    ['another tool', call('a', 'post'), 'was a call of send, and is a call of post now'],
    ['a wait', { id: 'a', wait: { days: 1 } }, 'was a call of send, and is a wait step now'],
    ['a branch', { id: 'a', if: 'true', then: [] }, 'was a call of send, and is a branch step now'],
  ])('rejects a version in which a finished step is %s', (_, step, message) => {
    expect(() => createRetryPlan(journal, [step, call('b')], before)).toThrow(message);
  });

  it('repeats each failed step of a loop, by its path', () => {
    const failed = [
      reached('a[0].b', 'succeeded'),
      reached('a[1].b', 'failed'),
      reached('a[2].b', 'failed'),
    ];
    expect(createRetryPlan(failed, before, before)).toEqual({
      again: ['a[1].b', 'a[2].b'],
      reopened: [],
      gone: [],
    });
  });

  it('finds steps inside other steps', () => {
    const nest = (inner: Step): Step[] => [
      { id: 'x', if: 'true', then: [], else: [call('y', 'send', { on_error: [inner] })] },
    ];
    const done = [reached('z', 'succeeded')];
    expect(() => createRetryPlan(done, nest(call('z', 'post')), nest(call('z')))).toThrow(
      'its finished step z',
    );
  });
});

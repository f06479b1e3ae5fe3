import { AppError } from '../../errors/app-error.js';
import { type Step } from '../definitions/definition.js';
import type { RunStep } from './run.entity.js';
import { everyStep, kindNameOf } from '../definitions/steps/step-kinds.js';

/** What a retry needs to know of a step that the run has reached. */
export type ReachedStep = Pick<RunStep, 'stepId' | 'status'>;

/** What a retry does to the journal. */
export interface RetryPlan {
  /** Tried anew; what their earlier attempts were stays in the log. */
  again: string[];
  /** No part of the run any more. */
  gone: string[];
}

/**
 * How a run goes on with `steps`, which are those of `before` or of a later version. Steps that are done stay done, by
 * their ids; the first one that the journal does not know is next. Throws `conflict` where a step that is done is
 * something else in the later version, because later steps would take its result for that of the new one.
 */
export function retryPlan(
  journal: readonly ReachedStep[],
  steps: readonly Step[],
  before: readonly Step[],
): RetryPlan {
  const [now, then] = [byId(steps), byId(before)];
  const plan: RetryPlan = { again: [], gone: [] };
  for (const { stepId, status } of journal) {
    // What the trigger says of the contact has an id that looks like a way.
    const id = now.has(stepId) || then.has(stepId) ? stepId : idOf(stepId);
    const [step, old] = [now.get(id), then.get(id)];
    const isSame = step && old && whatOf(step) === whatOf(old);
    if (status === 'succeeded' || status === 'skipped') {
      if (step && !isSame) throw isOther(stepId, step, old);
    } else if (!isSame) {
      plan.gone.push(stepId);
    } else if (status === 'failed' && (step.on_error ?? 'fail') === 'fail') {
      ('tool' in step ? plan.again : plan.gone).push(stepId);
    }
  }
  return plan;
}

function isOther(stepId: string, step: Step, old: Step | undefined): AppError {
  const was = old ? whatOf(old) : 'another step';
  return new AppError(
    'conflict',
    `The run cannot go on in the newest version: its step ${stepId} is done, and was ${was} where it is ` +
      `${whatOf(step)} now. Retry it with version "same", or replay it.`,
  );
}

/** The id of the step of an entry; one inside of a loop is known by the way to it, such as `each[3].send`. */
function idOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '');
}

function byId(steps: readonly Step[]): Map<string, Step> {
  return new Map(everyStep(steps).map((step) => [step.id, step]));
}

/** What a step is, as far as the result of another kind could not stand for its own. */
function whatOf(step: Step): string {
  return 'tool' in step ? `a call of ${step.tool}` : `a ${kindNameOf(step)} step`;
}

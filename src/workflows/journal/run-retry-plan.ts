import { AppError } from '../../errors/app-error.js';
import { canonicalJson } from '../../text/canonical-json.js';
import { type Step } from '../definitions/definition.js';
import { isFailureStep } from '../definitions/steps/failure-step.js';
import { TIMEOUT_STEP_ID } from '../definitions/steps/timeout-step.js';
import type { RunStep } from './run.entity.js';
import { everyStep, kindNameOf } from '../definitions/steps/step-kinds.js';

export type ReachedStep = Pick<RunStep, 'stepId' | 'status'> & {
  /** True for a loop whose finished iterations are folded. */
  hasProgress?: boolean;
};

export interface RetryPlan {
  /** The steps that run again. Their failed attempts stay in the journal. */
  again: string[];
  /**
   * The loops that continue at their position. Without this list, finished iterations whose rows were deleted would run
   * again.
   */
  reopened: string[];
  gone: string[];
}

/**
 * Plans how a run continues with `steps`. `before` has the steps of the version of the run, and `steps` has these steps
 * or the steps of a later version. Finished steps keep their results, which are found by the ids of steps. The run
 * continues with the first step without an entry. Steps of `on_failure` have no results: they run again when the run
 * fails again. Throws `conflict` when the later version defines a finished step differently, because later steps would
 * use the wrong result.
 */
export function createRetryPlan(
  journal: readonly ReachedStep[],
  steps: readonly Step[],
  before: readonly Step[],
): RetryPlan {
  const [now, then] = [indexById(steps), indexById(before)];
  const plan: RetryPlan = { again: [], reopened: [], gone: [] };
  const handling = new Set([...failureIds(steps), ...failureIds(before)]);
  for (const { stepId, status, hasProgress } of journal) {
    // The id of the generated contact step contains a dot but is not a path inside a loop.
    const id = now.has(stepId) || then.has(stepId) ? stepId : getStepId(stepId);
    // After a retry, the timeout of the run begins again.
    if (handling.has(id) || stepId === TIMEOUT_STEP_ID) {
      plan.gone.push(stepId);
      continue;
    }
    const [step, old] = [now.get(id), then.get(id)];
    const isSame = step && old && describeStep(step) === describeStep(old);
    if (status === 'succeeded' || status === 'skipped') {
      if (step && !isSame) throw createConflict(stepId, step, old);
    } else if (!isSame) {
      plan.gone.push(stepId);
    } else if (status === 'failed' && (step.on_error ?? 'fail') === 'fail') {
      const list = hasProgress ? plan.reopened : plan.gone;
      ('tool' in step ? plan.again : list).push(stepId);
    } else if (status !== 'failed' && 'tool' in step && isEdited(step, old)) {
      // The run was canceled during the call. Without this line, the call would be repeated with its earlier arguments.
      plan.again.push(stepId);
    }
  }
  return plan;
}

function createConflict(stepId: string, step: Step, old: Step | undefined): AppError {
  const was = old ? describeStep(old) : 'another step';
  return new AppError(
    'conflict',
    `The run cannot continue in the newest version: its finished step ${stepId} was ${was}, and is ` +
      `${describeStep(step)} now. Retry it with version "same", or replay it.`,
  );
}

function isEdited(step: Step, old: Step): boolean {
  return canonicalJson(step) !== canonicalJson(old);
}

/** Returns the step id in the path of an entry: `send` for `each[3].send`. */
function getStepId(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '');
}

function indexById(steps: readonly Step[]): Map<string, Step> {
  return new Map(everyStep(steps).map((step) => [step.id, step]));
}

/** Returns the ids of the failure step and of the steps inside it. */
function failureIds(steps: readonly Step[]): string[] {
  return everyStep(steps.filter(isFailureStep)).map(({ id }) => id);
}

/** Describes a step. Steps with different descriptions cannot use each other's results. */
function describeStep(step: Step): string {
  return 'tool' in step ? `a call of ${step.tool}` : `a ${kindNameOf(step)} step`;
}

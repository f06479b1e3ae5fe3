import type { FailureStep, Step } from '../definition.js';
import type { StepKind } from './step-kind.js';

/** The id of the generated failure step. Ids of a definition contain no dot, so no other step can have this id. */
export const FAILURE_STEP_ID = 'workflow.on_failure';

/** The name under which expressions of `on_failure` see the failure of the run. */
export const FAILURE = 'failure';

/** The value of `failure`. It is the output of the failure step. */
export interface Failure {
  /** The path of the failed step, as in the reason of the run: `send`, or `each[3].send` inside a loop. */
  step: string;
  tool: string | null;
  error: { code: string; message: string } | null;
  failed_at: string;
}

/** The two lists of a definition. */
export interface StepLists {
  readonly steps: readonly Step[];
  /** The steps that run after a failure that ends the run. */
  readonly onFailure: readonly Step[];
}

/**
 * The failure step, which is generated and stored as the last step of a definition with `on_failure`. The engine begins
 * the failure step when the failure of another step ends the run. Its journal entry records which step failed. Then the
 * steps inside the failure step run.
 */
export const FAILURE_STEP: StepKind<FailureStep> = {
  marks: ['on_failure'],
  hint: '',
  keys: ['on_failure'],

  parse(_given, path, parser) {
    parser.fault(`${path}.on_failure`, 'is not a member of a step: it stands beside "steps"');
    return { on_failure: [] };
  },

  lists: (step) => [{ member: 'on_failure', steps: step.on_failure }],
  inside: (step) => step.on_failure,
};

export function isFailureStep(step: Step): step is FailureStep {
  return step.id === FAILURE_STEP_ID;
}

/** Joins `steps` and `onFailure` into one list, in the form in which steps are stored and executed. */
export function joinSteps({ steps, onFailure }: StepLists): Step[] {
  if (onFailure.length === 0) return [...steps];
  return [...steps, { id: FAILURE_STEP_ID, on_failure: [...onFailure] }];
}

/** Returns the lists that {@link joinSteps} has joined. */
export function splitSteps(joined: readonly Step[]): StepLists {
  const last = joined.at(-1);
  if (!last || !isFailureStep(last)) return { steps: joined, onFailure: [] };
  return { steps: joined.slice(0, -1), onFailure: last.on_failure };
}

/** Returns joined steps as callers see them, in `steps` and `on_failure`. An empty `on_failure` is left out. */
export function stepsView(joined: readonly Step[]): { steps: object[]; on_failure?: object[] } {
  const { steps, onFailure } = splitSteps(joined);
  return { steps: [...steps], ...(onFailure.length > 0 && { on_failure: [...onFailure] }) };
}

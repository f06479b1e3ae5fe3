import type { Step, TimeoutStep } from '../definition.js';
import type { StepKind } from './step-kind.js';
import { MAX_WAIT_SECONDS } from './wait-step.js';

/** The id of the generated timeout step. Ids of a definition contain no dot, so no other step can have this id. */
export const TIMEOUT_STEP_ID = 'workflow.timeout';

/** The reason of a run that has timed out, and the error code of its timeout step. */
export const TIMED_OUT = 'timed_out';

/**
 * The timeout step, which is generated as the first step of a run whose trigger has `run_timeout_seconds`. Its wait
 * begins when the run starts. So the timeout wakes the run up in the same way as the end of any other wait. No step
 * waits for the timeout step. When the timeout is over, the timeout step fails, and the run fails with it.
 */
export const TIMEOUT_STEP: StepKind<TimeoutStep> = {
  marks: ['run_timeout_seconds'],
  hint: '',
  keys: ['run_timeout_seconds'],

  parse(_given, path, parser) {
    parser.fault(`${path}.run_timeout_seconds`, 'is not a member of a step, but of the trigger');
    return { run_timeout_seconds: 0 };
  },
};

export function isTimeoutStep(step: Step): step is TimeoutStep {
  return step.id === TIMEOUT_STEP_ID;
}

/**
 * Returns the steps of a run. With a timeout, the generated timeout step comes first. Ignores a stored timeout that
 * saving does not allow. SQL of a tool can store such a timeout.
 */
export function withTimeoutStep(
  seconds: number | undefined,
  steps: readonly Step[],
): readonly Step[] {
  const isValid = Number.isInteger(seconds) && seconds! >= 1 && seconds! <= MAX_WAIT_SECONDS;
  if (seconds === undefined || !isValid) return steps;
  return [{ id: TIMEOUT_STEP_ID, run_timeout_seconds: seconds }, ...steps];
}

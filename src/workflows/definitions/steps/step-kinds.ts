import { AppError } from '../../../errors/app-error.js';
import type { Step } from '../definition.js';
import { BRANCH_STEP } from './branch-step.js';
import { EVENT_WAIT_STEP } from './event-wait-step.js';
import { FOR_EACH_STEP } from './for-each-step.js';
import { PARALLEL_STEP } from './parallel-step.js';
import { RUN_WORKFLOW_STEP } from './run-workflow-step.js';
import type { StepKind } from './step-kind.js';
import { STOP_STEP } from './stop-step.js';
import { TOOL_STEP } from './tool-step.js';
import { WAIT_STEP } from './wait-step.js';

/** Every kind of step, under the name by which its runner is found. Of several that fit a step, the first one is its kind. */
export const STEP_KINDS = {
  tool: TOOL_STEP,
  event_wait: EVENT_WAIT_STEP,
  // Before waits: here `wait` says whether to wait at all.
  run_workflow: RUN_WORKFLOW_STEP,
  wait: WAIT_STEP,
  for_each: FOR_EACH_STEP,
  parallel: PARALLEL_STEP,
  stop: STOP_STEP,
  branch: BRANCH_STEP,
} satisfies Record<string, StepKind>;

export type StepKindName = keyof typeof STEP_KINDS;

const NAMES = Object.keys(STEP_KINDS) as StepKindName[];

export function kindNameOf(step: Step): StepKindName {
  const name = NAMES.find((kind) => STEP_KINDS[kind].marks.some((mark) => mark in step));
  // While a newer Switchboard is rolled out, its processes know more kinds: `unavailable` gives the run back to them.
  if (!name) throw new AppError('unavailable', `Step ${step.id} is of an unknown kind.`);
  return name;
}

export function kindOf(step: Step): StepKind {
  return STEP_KINDS[kindNameOf(step)];
}

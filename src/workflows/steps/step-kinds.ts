import type { Step } from '../definition.js';
import { BRANCH_STEP } from './branch-step.js';
import type { StepKind } from './step-kind.js';
import { TOOL_STEP } from './tool-step.js';
import { WAIT_STEP } from './wait-step.js';

/** Every kind of step, under the name by which its runner is found. Of several that fit a step, the first one is its kind. */
export const STEP_KINDS = {
  tool: TOOL_STEP,
  wait: WAIT_STEP,
  branch: BRANCH_STEP,
} satisfies Record<string, StepKind>;

export type StepKindName = keyof typeof STEP_KINDS;

const NAMES = Object.keys(STEP_KINDS) as StepKindName[];

export function kindNameOf(step: Step): StepKindName {
  const name = NAMES.find((kind) => STEP_KINDS[kind].marks.some((mark) => mark in step));
  // A definition that was stored by a newer process, for instance.
  if (!name) throw new Error(`The step ${step.id} is of a kind that is not known here.`);
  return name;
}

export function kindOf(step: Step): StepKind {
  return STEP_KINDS[kindNameOf(step)];
}

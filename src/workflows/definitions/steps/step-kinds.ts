import { AppError } from '../../../errors/app-error.js';
import type { FaultList } from '../../../errors/fault-list.js';
import type { Step } from '../definition.js';
import { BRANCH_STEP } from './branch-step.js';
import { CODE_STEP } from './code-step.js';
import { EVENT_WAIT_STEP } from './event-wait-step.js';
import { FAILURE_STEP, type StepLists } from './failure-step.js';
import { FOR_EACH_STEP } from './for-each-step.js';
import { PARALLEL_STEP } from './parallel-step.js';
import { RACE_STEP } from './race-step.js';
import { RESPOND_STEP } from './respond-step.js';
import { RETURN_STEP } from './return-step.js';
import { RUN_WORKFLOW_STEP } from './run-workflow-step.js';
import { SET_STEP } from './set-step.js';
import type { InnerList, StepKind } from './step-kind.js';
import { StepParser } from './step-parser.js';
import { STOP_STEP } from './stop-step.js';
import { TIMEOUT_STEP } from './timeout-step.js';
import { TOOL_STEP } from './tool-step.js';
import { WAIT_STEP } from './wait-step.js';

/** All kinds of steps by their names. When several kinds match a step, the first one applies. */
export const STEP_KINDS = {
  tool: TOOL_STEP,
  code: CODE_STEP,
  event_wait: EVENT_WAIT_STEP,
  // This kind is before `wait`, because in a `run_workflow` step the member `wait` is a boolean.
  run_workflow: RUN_WORKFLOW_STEP,
  wait: WAIT_STEP,
  for_each: FOR_EACH_STEP,
  parallel: PARALLEL_STEP,
  race: RACE_STEP,
  stop: STOP_STEP,
  respond: RESPOND_STEP,
  set: SET_STEP,
  return: RETURN_STEP,
  branch: BRANCH_STEP,
  failure: FAILURE_STEP,
  timeout: TIMEOUT_STEP,
} satisfies Record<string, StepKind>;

export type StepKindName = keyof typeof STEP_KINDS;

export const STEP_KIND_NAMES = Object.keys(STEP_KINDS) as StepKindName[];

/** The name of a kind that a definition can have. Steps of the other kinds are generated. */
export type WrittenKindName = Exclude<StepKindName, 'failure' | 'timeout'>;

export const WRITTEN_KIND_NAMES = STEP_KIND_NAMES.filter(
  (name) => name !== 'failure' && name !== 'timeout',
);

/** Returns the name of the step's kind. Throws `unavailable` when this release does not know the kind. */
export function kindNameOf(step: Step): StepKindName {
  const name = STEP_KIND_NAMES.find((kind) => STEP_KINDS[kind].marks.some((mark) => mark in step));
  // During a rolling upgrade, newer processes know more kinds. `unavailable` lets one of them continue the run.
  if (!name) throw new AppError('unavailable', `Step ${step.id} has an unknown kind.`);
  return name;
}

export function kindOf(step: Step): StepKind {
  return STEP_KINDS[kindNameOf(step)];
}

/** Checks the form of the steps: keys, types, ids and limits. If there are faults, the result must not be used. */
export function parseSteps(given: unknown, faults: FaultList, onFailure?: unknown): StepLists {
  const parser = new StepParser(Object.values(STEP_KINDS), faults);
  return {
    steps: parser.parseAll(given, 'steps'),
    onFailure: onFailure === undefined ? [] : parser.parseAll(onFailure, 'on_failure'),
  };
}

/** Returns the lists of steps inside a step, except `on_error`. */
export function innerListsOf(step: Step): readonly InnerList[] {
  return kindOf(step).lists?.(step) ?? [];
}

/** Returns the steps and all steps inside them. */
export function everyStep(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [
    step,
    ...(Array.isArray(step.on_error) ? everyStep(step.on_error) : []),
    ...innerListsOf(step).flatMap((list) => everyStep(list.steps)),
  ]);
}

import type { Fault } from '../../errors/app-error.js';
import type { BranchStep } from './steps/branch-step.js';
import type { EventWaitStep } from './steps/event-wait-step.js';
import type { ForEachStep } from './steps/for-each-step.js';
import type { ParallelStep } from './steps/parallel-step.js';
import type { RunWorkflowStep } from './steps/run-workflow-step.js';
import { kindOf, STEP_KINDS } from './steps/step-kinds.js';
import { StepParser } from './steps/step-parser.js';
import type { StopStep } from './steps/stop-step.js';
import type { ToolStep } from './steps/tool-step.js';
import type { WaitStep } from './steps/wait-step.js';

/** What becomes of a run whose step has failed: it fails too, goes on, or goes on after these steps. */
export type OnError = 'fail' | 'continue' | Step[];

export type Step =
  | ToolStep
  | BranchStep
  | WaitStep
  | EventWaitStep
  | RunWorkflowStep
  | ForEachStep
  | ParallelStep
  | StopStep;

/**
 * Reads a list of steps as far as its form goes: keys, types, ids, limits. Adds every fault with its path; the
 * result is to be used only if there is none.
 */
export function parseSteps(given: unknown, faults: Fault[], path = 'steps'): Step[] {
  return new StepParser(Object.values(STEP_KINDS), faults).all(given, path);
}

/** The steps and all that are inside of them. */
export function everyStep(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [
    step,
    ...(Array.isArray(step.on_error) ? everyStep(step.on_error) : []),
    ...kindOf(step)
      .lists(step)
      .flatMap((list) => everyStep(list.steps)),
  ]);
}

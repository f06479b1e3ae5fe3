import { Injectable } from '@nestjs/common';
import type { Step } from '../../definitions/definition.js';
import { BranchRunner } from './branch.runner.js';
import { EventWaitRunner } from './event-wait.runner.js';
import { ForEachRunner } from './for-each.runner.js';
import { ParallelRunner } from './parallel.runner.js';
import { RunWorkflowRunner } from './run-workflow.runner.js';
import { kindNameOf, type StepKindName } from '../../definitions/steps/step-kinds.js';
import type { StepRunner } from './step-runner.js';
import { StopRunner } from './stop.runner.js';
import { ToolRunner } from './tool.runner.js';
import { WaitRunner } from './wait.runner.js';

/** Who carries out which kind of step. */
@Injectable()
export class StepRunners {
  private readonly runners: Record<StepKindName, StepRunner>;

  constructor(
    tool: ToolRunner,
    eventWait: EventWaitRunner,
    runWorkflow: RunWorkflowRunner,
    wait: WaitRunner,
    forEach: ForEachRunner,
    parallel: ParallelRunner,
    stop: StopRunner,
    branch: BranchRunner,
  ) {
    this.runners = {
      tool,
      event_wait: eventWait,
      run_workflow: runWorkflow,
      wait,
      for_each: forEach,
      parallel,
      stop,
      branch,
    };
  }

  of(step: Step): StepRunner {
    return this.runners[kindNameOf(step)];
  }
}

import type { Step } from '../../definitions/definition.js';
import {
  kindNameOf,
  STEP_KIND_NAMES,
  type StepKindName,
} from '../../definitions/steps/step-kinds.js';
import type { Progress, StepAttempt } from '../run-progress.service.js';

/**
 * The way in which a step shares a transaction. After a step that `reads`, more steps can follow. A step that `changes`
 * data is the last step. A step that runs `alone` makes an external call or needs several transactions.
 */
export type Sharing = 'reads' | 'changes' | 'alone';

export interface StepRunner<S extends Step = Step> {
  readonly kind: StepKindName;
  /**
   * Executes a step and records the result. The journal entry decides whether the runner begins the step, repeats it
   * after a failure or a crash, or ends it after its wait.
   */
  run(attempt: StepAttempt<S>): Promise<Progress>;
  /** Returns how the step shares a transaction. Absent when every step of the kind runs alone. */
  getSharing?(step: S): Sharing;
}

/** Finds the runner of a step. The constructor throws if a kind does not have exactly one runner. */
export class StepRunnersService {
  private readonly runners: ReadonlyMap<StepKindName, StepRunner>;

  constructor(runners: readonly StepRunner[]) {
    this.runners = new Map(runners.map((runner) => [runner.kind, runner]));
    const missing = STEP_KIND_NAMES.filter((kind) => !this.runners.has(kind));
    if (missing.length > 0 || runners.length > STEP_KIND_NAMES.length) {
      throw new Error(
        `Each kind of step needs one runner. Without a runner: ${missing.join(', ')}`,
      );
    }
  }

  getRunner(step: Step): StepRunner {
    return this.runners.get(kindNameOf(step))!;
  }

  getSharing(step: Step): Sharing {
    return this.getRunner(step).getSharing?.(step) ?? 'alone';
  }
}

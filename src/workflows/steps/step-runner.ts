import type { Step } from '../definition.js';
import type { HeldRun } from '../held-run.js';
import type { Progress } from '../run-progress.service.js';
import type { Place } from '../step-engine.js';

/** Carries out the steps of one kind. */
export interface StepRunner<S extends Step = Step> {
  /**
   * Begins the step, goes on with one whose worker has died, tries a failed one again, or, when what it waited for has
   * come, ends it: the entry in the journal tells which. Writes down what became of it.
   */
  run(held: HeldRun, place: Place<S>): Promise<Progress>;
}

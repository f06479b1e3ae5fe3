import type { Step } from '../../definitions/definition.js';
import type { HeldRun } from '../../journal/claimed-run.js';
import type { Progress } from '../run-progress.service.js';
import type { Place } from '../../definitions/step-engine.js';

/**
 * How a step goes with others in one transaction: it only `reads`, and the next one can follow; it `changes` something,
 * and is the last; or it stands `alone`, because it talks to the outside or has several transactions.
 */
export type Sharing = 'reads' | 'changes' | 'alone';

/** Carries out the steps of one kind. */
export interface StepRunner<S extends Step = Step> {
  /**
   * Begins the step, goes on with one whose worker has died, tries a failed one again, or, when what it waited for has
   * come, ends it: the entry in the journal tells which. Writes down what became of it.
   */
  run(held: HeldRun, place: Place<S>): Promise<Progress>;
  sharing?(step: S): Sharing;
}

import type { Step } from '../definition.js';
import type { JournalState, Lanes } from '../step-engine.js';
import type { Json } from '../step-fields.js';
import type { StepChecks } from './step-checks.js';
import type { StepParser } from './step-parser.js';

/** A list of steps inside of a step, and the member that holds it. */
export interface InnerList {
  readonly member: string;
  readonly steps: readonly Step[];
}

/**
 * All there is to one kind of step but carrying it out: a kind is an object like this with a line in `STEP_KINDS`, and
 * a {@link StepRunner} with a line in `StepRunners`.
 */
export interface StepKind<S extends Step = Step> {
  /** The members that tell the kind, and how a step that is of no kind at all is told of it. */
  readonly marks: readonly string[];
  readonly hint: string;
  /** The members that a step of the kind may have besides `id` and `on_error`. */
  readonly keys: readonly string[];
  /** Reads a step as far as its form goes. */
  parse(given: Json, path: string, parser: StepParser): Omit<S, 'id' | 'on_error'>;
  /** Judges what only tools and expressions can tell. */
  check(step: S, path: string, checks: StepChecks): void;
  /** Every list of steps inside, apart from `on_error`. */
  lists(step: S): readonly InnerList[];
  /** The steps inside that a step leads to which has succeeded, or, if it stays open, has begun. */
  inside(step: S, state: JournalState): readonly Step[] | Lanes;
  /** The steps inside that have surely run once it has, so that steps after it can refer to them. */
  leaves?(step: S): readonly Step[];
  /** The entry is `running` until all inside is done; then its runner ends the step. */
  readonly staysOpen?: true;
  /** The run ends once it has succeeded. */
  readonly endsRun?: true;
  /** Why a run waits that waits for nothing but such a step: `wait` where absent. */
  readonly waitReason?: string;
}

import type { Step } from '../definition.js';
import type { StepChecks } from './step-checks.js';
import type { StepForm } from './step-parser.js';

export type StepStatus = 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped';

/** The part of a journal entry that decides where the run continues. */
export interface JournalState {
  readonly status: StepStatus;
  readonly input?: object | null;
  readonly output?: object | null;
  /** The number of items of a loop, when `input` is not known. */
  readonly itemCount?: number;
  /** The position of a loop whose finished iterations are folded. */
  readonly progress?: object | null;
  /** The time of `performance.now()` at which a waiting step is due. When absent, the step is due now. */
  readonly dueAt?: number;
}

/** A list of steps inside a step, and the member that contains it. */
export interface InnerList {
  readonly member: string;
  readonly steps: readonly Step[];
  /**
   * For a loop, the variables that it adds, and the longest text with which the journal path of a step inside it can
   * begin.
   */
  readonly loop?: { readonly names: readonly string[]; readonly longestPrefix: string };
  /** The members whose expressions are evaluated after the list, and see its steps. */
  readonly after?: Readonly<Record<string, unknown>>;
  /**
   * The id of the generated step that evaluates the expressions of `after`. These expressions see the values of `set`
   * steps in the list. When absent, the step around the list evaluates them.
   */
  readonly readerId?: string;
}

/** Lists of steps that run at the same time: the iterations of a loop, or the lists of a parallel step. */
export interface Lanes {
  readonly count: number;
  /** The largest number of lists that the engine runs at the same time. */
  readonly atOnce: number;
  /** True when each list is an iteration of a loop, so that its steps have separate journal entries. */
  readonly isLoop: boolean;
  /** The number of the first list that is not folded. All lists before it are done. The default is 0. */
  readonly first?: number;
  /**
   * The number of lists, from `first` on, that may have begun. When half of these lists are done, the runner folds the
   * lists that are done.
   */
  readonly window?: number;
  /** True when the steps of the list read a page of a loop. Their entries stay until the runner has read them. */
  readonly isPage?: true;
  /**
   * True for a race, which ends when its first list is done. Then the engine plans no more steps of the other lists.
   */
  readonly isRace?: true;
  readonly steps: (lane: number) => readonly Step[];
}

/** A kind of step. Add it to `STEP_KINDS`, and its {@link StepRunner} to `RUNNERS` in the engine module. */
export interface StepKind<S extends Step = Step> extends StepForm<S> {
  /** Adds the faults of the tool and the expressions of a step. `if` and inner lists are not checked here. */
  check?(step: S, path: string, checks: StepChecks): void;
  /** Returns every list of steps inside the step, except `on_error`. */
  lists?(step: S): readonly InnerList[];
  /** Returns the steps to run inside a step that has succeeded, or that has begun and stays open. */
  inside?(step: S, state: JournalState): readonly Step[] | Lanes;
  /** Returns the inner steps that are always done when the step is done. Later steps can refer to them. */
  leaves?(step: S): readonly Step[];
  /** True when the entry stays `running` until all inner steps are done. Then the runner ends the step. */
  readonly staysOpen?: true;
  /** True when the run ends after this step has succeeded. */
  readonly endsRun?: true;
  /** The reason that a run shows while it waits for a step of this kind. The default is `wait`. */
  readonly waitReason?: string | ((state: JournalState) => string);
}

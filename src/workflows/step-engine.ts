import type { Step } from './definition.js';
import { kindOf } from './steps/step-kinds.js';

export type StepStatus = 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped';

/** What the journal says of one step, as far as the way through the definition depends on it. */
export interface JournalState {
  readonly status: StepStatus;
  readonly output?: object | null;
  /** Of a step that waits: false while its time has not come by the clock of the database. */
  readonly due?: boolean;
}

/** Where a run has come to: a step, and the key of its entry in the journal. */
export interface Place<S extends Step = Step> {
  readonly step: S;
  readonly path: string;
}

/** What a run does next. */
export type Action =
  | ({ kind: 'run' } & Place)
  | ({ kind: 'sleep' } & Place)
  | ({ kind: 'fail' } & Place)
  | { kind: 'finish' };

/**
 * The one next action of a run. It follows from the definition and the journal alone, so every worker that takes the
 * run over, whenever that is, goes on exactly where the journal ends.
 */
export function nextAction(
  steps: readonly Step[],
  journal: ReadonlyMap<string, JournalState>,
): Action {
  return walk(steps, journal) ?? { kind: 'finish' };
}

function walk(
  steps: readonly Step[],
  journal: ReadonlyMap<string, JournalState>,
): Action | undefined {
  for (const step of steps) {
    const state = journal.get(step.id);
    const action = pending(step, state) ?? walk(inside(step, state!), journal);
    if (action) return action;
  }
  return undefined;
}

/** The action that the step itself still needs, if it is not behind the run. */
function pending(step: Step, state: JournalState | undefined): Action | undefined {
  const place = { step, path: step.id };
  switch (state?.status) {
    case 'succeeded':
    case 'skipped':
      return undefined;
    case 'failed':
      return (step.on_error ?? 'fail') === 'fail' ? { kind: 'fail', ...place } : undefined;
    case 'waiting':
      return { kind: state.due === false ? 'sleep' : 'run', ...place };
    // A worker died between the beginning of the step and its outcome.
    case 'running':
    case undefined:
      return { kind: 'run', ...place };
  }
}

/** The steps that a step which is behind the run still leads to. */
function inside(step: Step, state: JournalState): readonly Step[] {
  switch (state.status) {
    case 'failed':
      return Array.isArray(step.on_error) ? step.on_error : [];
    case 'succeeded':
      return kindOf(step).inside(step, state);
    default:
      return [];
  }
}

import {
  type BranchStep,
  isTool,
  isWait,
  type Step,
  type ToolStep,
  type WaitStep,
} from './definition.js';

export type StepStatus = 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped';

/** What the journal says of one step, as far as the way through the definition depends on it. */
export interface JournalState {
  readonly status: StepStatus;
  /** Of a branch: which list it chose. */
  readonly branch?: 'then' | 'else';
  /** Of a wait: whether its time has come by the clock of the database. */
  readonly due?: boolean;
}

/** What a run does next. */
export type Action =
  | { kind: 'call'; step: ToolStep }
  | { kind: 'branch'; step: BranchStep }
  | { kind: 'wait'; step: WaitStep }
  | { kind: 'wake'; step: WaitStep }
  | { kind: 'sleep'; step: WaitStep }
  | { kind: 'fail'; step: Step }
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
    const action = pending(step, state) ?? walk(inside(step, state), journal);
    if (action) return action;
  }
  return undefined;
}

/** The action that the step itself still needs, if it is not behind the run. */
function pending(step: Step, state: JournalState | undefined): Action | undefined {
  if (state?.status === 'succeeded' || state?.status === 'skipped') return undefined;
  if (state?.status === 'failed') {
    return (step.on_error ?? 'fail') === 'fail' ? { kind: 'fail', step } : undefined;
  }
  // Absent: never tried. Waiting: to be tried again. Running: a worker died between the call and its outcome.
  if (isTool(step)) return { kind: 'call', step };
  if (!isWait(step)) return { kind: 'branch', step };
  if (!state) return { kind: 'wait', step };
  return { kind: state.due ? 'wake' : 'sleep', step };
}

/** The steps that a step which is behind the run still leads to. */
function inside(step: Step, state: JournalState | undefined): readonly Step[] {
  if (state?.status === 'failed') return Array.isArray(step.on_error) ? step.on_error : [];
  if (isTool(step) || isWait(step)) return [];
  return (state?.branch === 'then' ? step.then : step.else) ?? [];
}

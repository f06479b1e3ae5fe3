import { PageResult } from '../../paging/paging.js';
import { Doc } from '../../tools/schema/doc.decorator.js';
import {
  Choice,
  Integer,
  JsonObject,
  ListOf,
  Nested,
  Text,
  Timestamp,
} from '../../tools/schema/fields.js';
import type { Step, ToolStep } from '../definitions/definition.js';
import { planOf } from '../definitions/step-engine.js';
import { isTool } from '../definitions/steps/tool-step.js';
import { RUN_STATUSES, type Run, type RunStatus, type RunStep } from '../journal/run.entity.js';

export class FailedAttemptView {
  @Integer('Counted from 1, and again from 1 when the run is retried.')
  attempt: number;

  @Timestamp()
  failed_at: string;

  @JsonObject('{code, message, details?}.')
  error: object;
}

export const STEP_VIEW_STATUSES = [
  'running',
  'waiting',
  'succeeded',
  'failed',
  'skipped',
  'canceled',
] as const;

export class RunStepView {
  @Text('Id of the step in the definition.')
  id: string;

  @Text('Tool that the step calls; null for a branch or a wait.', { nullable: true })
  tool: string | null;

  @Choice(STEP_VIEW_STATUSES, 'waiting: for a time, an event or the next attempt.')
  status: (typeof STEP_VIEW_STATUSES)[number];

  @Integer('Number of attempts.')
  attempts: number;

  @Doc('Arguments after expressions were evaluated. Always null in lists.')
  @JsonObject({ nullable: true })
  input: object | null;

  @Doc('Result of the tool, the branch taken, or the end of the wait. Always null in lists.')
  @JsonObject({ nullable: true })
  output: object | null;

  @JsonObject('Error of the last attempt: {code, message, details?}.', { nullable: true })
  error: object | null;

  @Doc('All failed attempts, including those before a retry of the run. Always empty in lists.')
  @ListOf(() => FailedAttemptView)
  failed_attempts: FailedAttemptView[];

  @Timestamp({ nullable: true })
  started_at: string | null;

  @Timestamp({ nullable: true })
  finished_at: string | null;
}

export class RunView {
  @Text('Id of the run.')
  id: string;

  @Text('Id of its workflow.')
  workflow_id: string;

  @Integer('Version of the workflow that the run uses.')
  workflow_version: number;

  @Doc('queued, running and waiting can change; succeeded, failed and canceled are final.')
  @Choice(RUN_STATUSES)
  status: RunStatus;

  @Doc(
    'Reason for a wait (wait, retry, event), an end (step_failed:<step id>, poison: three workers died, ' +
      'requested) or no start (loop: 8 runs in a chain or 10,000 in total, rate_limited, filter_failed).',
  )
  @Text({ nullable: true })
  reason: string | null;

  @JsonObject('Trigger of the run: {type, payload}; lists leave out the payload.')
  trigger: object;

  @Text('Contact that the run is about.', { nullable: true })
  contact_id: string | null;

  @Text('The run that it replays.', { nullable: true })
  replay_of: string | null;

  @Timestamp('Time at which it was accepted. RFC 3339, UTC.')
  created_at: string;

  @Timestamp({ nullable: true })
  started_at: string | null;

  @Timestamp({ nullable: true })
  finished_at: string | null;

  @ListOf(() => RunStepView, 'Steps that the run has reached, in order of execution.')
  steps: RunStepView[];
}

/** Converts a run to its result. Leaves out an undefined payload. Without `steps`, the steps in progress are missing. */
export function runView(
  run: Run,
  steps: readonly Step[],
  journal: readonly RunStep[],
  payload: unknown,
): RunView {
  const reached = journal.map((entry) => stepView(run, entry));
  const current = currentSteps(run, steps, journal);
  const atWork = new Set(current.map(({ id }) => id));
  return {
    id: run.id,
    workflow_id: run.workflowId,
    workflow_version: run.workflowVersion,
    status: run.status,
    reason: run.reason,
    trigger: { type: run.triggerType, ...(payload !== undefined && { payload }) },
    contact_id: run.contactId,
    replay_of: run.replayOf,
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
    steps: [...reached.filter(({ id }) => !atWork.has(id)), ...current],
  };
}

function stepView(run: Run, entry: RunStep): RunStepView {
  const isOpen = entry.status === 'running' || entry.status === 'waiting';
  // The step that ended the run has an error, unless workers crashed at it.
  const cutOff = run.reason === 'poison' ? 'failed' : 'canceled';
  return {
    id: entry.stepId,
    tool: entry.tool,
    status: isOpen && run.finishedAt ? cutOff : entry.status,
    attempts: entry.attempts,
    input: entry.input,
    output: entry.output,
    error: entry.error,
    failed_attempts: entry.failedAttempts ?? [],
    started_at: entry.startedAt.toISOString(),
    finished_at: entry.finishedAt?.toISOString() ?? null,
  };
}

/** Returns the tool steps that are being executed, or at which workers crashed. They have no row before their commit. */
function currentSteps(
  run: Run,
  steps: readonly Step[],
  journal: readonly RunStep[],
): RunStepView[] {
  const isPoisoned = run.status === 'failed' && run.reason === 'poison';
  if (run.status !== 'running' && !isPoisoned) return [];
  const entries = new Map(journal.map((entry) => [entry.stepId, entry]));
  return planOf(steps, entries).ready.flatMap(({ step, path }) =>
    isTool(step) ? currentStep(step, path, entries.get(path), isPoisoned) : [],
  );
}

function currentStep(
  { tool }: ToolStep,
  path: string,
  entry: RunStep | undefined,
  isPoisoned: boolean,
): RunStepView {
  const attempts = (entry?.attempts ?? 0) + (entry?.status === 'running' ? 0 : 1);
  return {
    id: path,
    tool,
    status: isPoisoned ? 'failed' : 'running',
    attempts,
    input: entry?.input ?? null,
    output: null,
    error: isPoisoned
      ? { code: 'poison', message: 'Three workers died while the run was at this step.' }
      : (entry?.error ?? null),
    failed_attempts: entry?.failedAttempts ?? [],
    started_at: entry?.startedAt.toISOString() ?? null,
    finished_at: null,
  };
}

export class RunResult {
  @Nested(() => RunView)
  run: RunView;
}

export class RunPage extends PageResult {
  @ListOf(() => RunView)
  runs: RunView[];
}

/** Shows the result of a call of an offered workflow. */
export class OfferedRunResult {
  @Text('Id of the run, for get_run.')
  run_id: string;

  @Choice(['succeeded', 'running'], 'running: it has not ended yet.')
  status: 'succeeded' | 'running';

  @JsonObject('Result of the run, if it has succeeded.', { optional: true })
  output?: object;

  @Text('Advice on what to do next, if any.', { optional: true })
  message?: string;
}

/**
 * Shows a started run. The call returns the id at once. A caller that takes the run as a task gets the outputs of its
 * steps when the run has succeeded. Only `get_run` has inputs, payload and times, because models rarely need them.
 */
export class TriggeredRunResult {
  @Text('Id of the run, for get_run.')
  run_id: string;

  @Choice(['succeeded'], 'Only in a task that has ended.', { optional: true })
  status?: 'succeeded';

  @Doc('Only in a task that has ended: outputs of its tools by step id.')
  @JsonObject({ optional: true })
  outputs?: object;
}

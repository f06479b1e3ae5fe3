import { Type } from 'class-transformer';
import {
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  ValidateNested,
} from 'class-validator';
import { PageResult } from '../../paging/paging.js';
import { Doc, Nullable } from '../../tools/schema/doc.decorator.js';
import type { Step, ToolStep } from '../definitions/definition.js';
import { planOf } from '../definitions/step-engine.js';
import { isTool } from '../definitions/steps/tool-step.js';
import { RUN_STATUSES, type Run, type RunStatus, type RunStep } from '../journal/run.entity.js';

/** A failed attempt of a step. */
export class FailedAttemptView {
  @IsInt()
  @Doc('Counted from 1, and anew when the run is retried.')
  attempt: number;

  @IsString()
  @Doc('RFC 3339, UTC.')
  failed_at: string;

  @IsObject()
  @Doc('{code, message, details?}.')
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

/** One step of a run. */
export class RunStepView {
  @IsString()
  @Doc('Id of the step in the definition.')
  id: string;

  @IsString()
  @Nullable()
  @Doc('Tool that the step calls; null for a branch or a wait.')
  tool: string | null;

  @IsIn(STEP_VIEW_STATUSES)
  @Doc('waiting: for a time to come, or for the next attempt.')
  status: (typeof STEP_VIEW_STATUSES)[number];

  @IsInt()
  @Doc('How often it was tried.')
  attempts: number;

  @IsObject()
  @Nullable()
  @Doc('Arguments after expressions were evaluated. Always null in lists.')
  input: object | null;

  @IsObject()
  @Nullable()
  @Doc('Result of the tool, the branch taken, or the end of the wait. Always null in lists.')
  output: object | null;

  @IsObject()
  @Nullable()
  @Doc('Why the last attempt failed: {code, message, details?}.')
  error: object | null;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => FailedAttemptView)
  @Doc(
    'Attempts that failed, the last one too, and those before a retry of the run. Always empty in lists.',
  )
  failed_attempts: FailedAttemptView[];

  @IsString()
  @Nullable()
  @Doc('RFC 3339, UTC.')
  started_at: string | null;

  @IsString()
  @Nullable()
  @Doc('RFC 3339, UTC.')
  finished_at: string | null;
}

/** A run as callers see it. */
export class RunView {
  @IsString()
  @Doc('Id of the run.')
  id: string;

  @IsString()
  @Doc('Id of its workflow.')
  workflow_id: string;

  @IsInt()
  @Doc('Version of the workflow that the run keeps to.')
  workflow_version: number;

  @IsIn(RUN_STATUSES)
  @Doc('queued, running and waiting go on; succeeded, failed and canceled are final.')
  status: RunStatus;

  @IsString()
  @Nullable()
  @Doc(
    'Why it waits (wait, retry, event) or ended: step_failed:<step id>, poison (three workers died with it), requested; ' +
      'or never began: loop (runs started each other 8 deep, or 10,000 in all), rate_limited, filter_failed.',
  )
  reason: string | null;

  @IsObject()
  @Doc('What started it: {type, payload}; lists leave out the payload.')
  trigger: object;

  @IsString()
  @Nullable()
  @Doc('Contact that the run is about.')
  contact_id: string | null;

  @IsString()
  @Nullable()
  @Doc('The run that it repeats.')
  replay_of: string | null;

  @IsString()
  @Doc('When it was accepted. RFC 3339, UTC.')
  created_at: string;

  @IsString()
  @Nullable()
  @Doc('RFC 3339, UTC.')
  started_at: string | null;

  @IsString()
  @Nullable()
  @Doc('RFC 3339, UTC.')
  finished_at: string | null;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => RunStepView)
  @Doc('Steps that the run has reached, in order of execution.')
  steps: RunStepView[];
}

/** Leaves out the payload when it is undefined. Without `steps`, the steps in progress are missing. */
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
  // The step that ended the run says so itself, except when workers crashed at it.
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
  @ValidateNested()
  @Type(() => RunView)
  run: RunView;
}

export class RunPage extends PageResult {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => RunView)
  runs: RunView[];
}

/** The result of a call of an offered workflow. */
export class OfferedRunResult {
  @Doc('Id of the run, for get_run.')
  @IsString()
  run_id: string;

  @Doc('running: it has not ended yet.')
  @IsIn(['succeeded', 'running'])
  status: 'succeeded' | 'running';

  @Doc('What came of it, once it has succeeded.')
  @IsOptional()
  @IsObject()
  output?: object;

  @Doc('What to do about it, if anything.')
  @IsOptional()
  @IsString()
  message?: string;
}

/**
 * The result of starting a run. The call returns the id at once. A caller that takes the run as a task gets the outputs of
 * its steps when the run has succeeded. Inputs, payload and times are in `get_run` only, because models rarely need them.
 */
export class TriggeredRunResult {
  @Doc('Id of the run, for get_run.')
  @IsString()
  run_id: string;

  @Doc('Only from a task that has ended.')
  @IsOptional()
  @IsIn(['succeeded'])
  status?: 'succeeded';

  @Doc('Only from a task that has ended: what the tools of its steps returned, by step id.')
  @IsOptional()
  @IsObject()
  outputs?: object;
}

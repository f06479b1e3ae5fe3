import type { Step, ToolStep } from '../definitions/definition.js';
import type { TriggerRequest } from '../definitions/trigger-request.js';
import { planOf } from '../definitions/step-engine.js';
import { CANCELED } from '../definitions/steps/race-step.js';
import { isTool } from '../definitions/steps/tool-step.js';
import type { CutValue } from '../journal/cut-values.js';
import type { PlannedStep, ShownStep } from '../journal/run-steps.repository.js';
import type { Run, StepError } from '../journal/run.entity.js';
import type { LoopProgressView, RunStepView, RunView } from './run.results.js';

/** The longest message of an error. A longer one is cut; `get_run_value` returns the whole error. */
const MAX_MESSAGE_CHARACTERS = 1000;
const MAX_LISTED_MESSAGE_CHARACTERS = 200;

/** The payload of a run, or the size and the beginning of a large one. Lists leave it out. */
export type PayloadView = { payload: unknown } | { payload_cut: CutValue } | Record<string, never>;

export interface ShownRun {
  run: Run;
  payload: PayloadView;
  /** The stored part of the request that started the run. Lists leave it out. */
  request?: TriggerRequest | null;
  steps: RunStepView[];
  stepCount: number;
}

export function runView({ run, payload, request, steps, stepCount }: ShownRun): RunView {
  return {
    id: run.id,
    workflow_id: run.workflowId,
    workflow_version: run.workflowVersion,
    status: run.status,
    reason: run.reason,
    trigger: { type: run.triggerType, ...payload, ...request },
    contact_id: run.contactId,
    replay_of: run.replayOf,
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
    step_count: stepCount,
    steps,
  };
}

export function stepView(run: Run, entry: ShownStep): RunStepView {
  const isOpen = entry.status === 'running' || entry.status === 'waiting';
  // The step that ended the run has an error, unless workers crashed while they executed this step.
  const cutOff = run.reason === 'poison' ? 'failed' : 'canceled';
  return {
    id: entry.stepId,
    tool: entry.tool,
    status: isOpen && run.finishedAt ? cutOff : shownStatus(entry),
    attempts: entry.attempts,
    ...valuesOf(entry),
    ...(entry.progress && { progress: progressView(entry.progress, entry.itemCount) }),
    error: shortError(entry.error),
    failed_attempts: attemptsOf(entry),
    started_at: entry.startedAt.toISOString(),
    finished_at: entry.finishedAt?.toISOString() ?? null,
  };
}

/**
 * Returns the status that people see. A step that a race has canceled is stored as `skipped` and shown as `canceled`.
 */
function shownStatus({ status, error }: ShownStep): RunStepView['status'] {
  return status === 'skipped' && error?.code === CANCELED ? 'canceled' : status;
}

/** Returns the view of a step in a list of runs. */
export function listedStepView(run: Run, entry: ShownStep): RunStepView {
  return { ...stepView(run, entry), error: shortError(entry.error, MAX_LISTED_MESSAGE_CHARACTERS) };
}

/** A tool step that is being executed, or at which workers crashed. It may have no row before its commit. */
export interface CurrentStep {
  readonly step: ToolStep;
  readonly path: string;
}

/** Returns the tool steps that are being executed, or at which workers crashed. */
export function currentSteps(
  steps: readonly Step[],
  journal: readonly PlannedStep[],
): CurrentStep[] {
  const entries = new Map(journal.map((entry) => [entry.stepId, entry]));
  return planOf(steps, entries).ready.flatMap(({ step, path }) =>
    isTool(step) ? [{ step, path }] : [],
  );
}

/** Returns true for a run whose current steps must be computed, because they may have no rows. */
export function hasCurrentSteps(run: Run): boolean {
  return run.status === 'running' || isPoisoned(run);
}

export function currentStepView(
  run: Run,
  { step, path }: CurrentStep,
  entry: ShownStep | undefined,
): RunStepView {
  const attempts = (entry?.attempts ?? 0) + (entry?.status === 'running' ? 0 : 1);
  return {
    id: path,
    tool: step.tool,
    status: isPoisoned(run) ? 'failed' : 'running',
    attempts,
    ...(entry ? valuesOf(entry) : { input: null }),
    output: null,
    error: isPoisoned(run)
      ? {
          code: 'poison',
          message:
            'Three workers died while the run was at this step. Correct the cause, and retry the run.',
        }
      : shortError(entry?.error ?? null),
    failed_attempts: entry ? attemptsOf(entry) : [],
    started_at: entry?.startedAt.toISOString() ?? null,
    finished_at: null,
  };
}

function isPoisoned({ status, reason }: Run): boolean {
  return status === 'failed' && reason === 'poison';
}

function valuesOf({
  input,
  output,
  cut,
}: ShownStep): Pick<RunStepView, 'input' | 'output' | 'cut'> {
  return { input, output, ...(cut && { cut }) };
}

function progressView(
  { done, failed, failures, pages }: NonNullable<ShownStep['progress']>,
  total: number | null,
): LoopProgressView {
  return {
    done,
    ...(pages ? { pages: pages.read } : { total: total ?? 0 }),
    failed,
    failures,
  };
}

function attemptsOf({ failedAttempts }: ShownStep): RunStepView['failed_attempts'] {
  return (failedAttempts ?? []).map((attempt) => ({
    ...attempt,
    error: shortError(attempt.error) ?? attempt.error,
  }));
}

function shortError(error: StepError | null, most = MAX_MESSAGE_CHARACTERS): StepError | null {
  if (error === null) return null;
  const { message, details, response, ...rest } = error;
  return {
    ...rest,
    message: shorten(message, most),
    ...(details && {
      details: details.map((fault) => ({ ...fault, message: shorten(fault.message, most) })),
    }),
    ...(response && { response: shortenJson(response, most) }),
  };
}

function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}

/** Returns the value, or the beginning of its JSON when the JSON is long. */
function shortenJson(value: object, most: number): object {
  const json = JSON.stringify(value);
  return json.length <= most ? value : { preview: shorten(json, most) };
}

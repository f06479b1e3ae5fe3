import { Injectable } from '@nestjs/common';
import { AppError, type AppErrorCode } from '../../errors/app-error.js';
import type { Task, TaskSource, TaskState } from '../../tools/contract/task-source.js';
import { TIMED_OUT, TIMEOUT_STEP_ID } from '../definitions/steps/timeout-step.js';
import { RunStepsRepository, type StepOutcome } from '../journal/run-steps.repository.js';
import type { Run, StepError } from '../journal/run.entity.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { OfferedRunResultsService } from './offered-run-results.service.js';
import { RunControlService } from './run-control.service.js';
import type { OfferedRunResult, TriggeredRunResult } from './run.results.js';

/** The largest size of the outputs of a run that are shown together. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

/**
 * Presents the runs that `trigger_workflow` and offered workflows start as tasks of their callers. A task has the id of
 * its run and no separate row, so it exists as long as the run is kept.
 */
@Injectable()
export class RunTasksService implements TaskSource {
  readonly cancelTool = 'cancel_run';
  readonly readTool = 'get_run';

  constructor(
    private readonly runs: RunsRepository,
    private readonly steps: RunStepsRepository,
    private readonly control: RunControlService,
    private readonly offered: OfferedRunResultsService,
  ) {}

  idOf({ run_id, status }: TriggeredRunResult | OfferedRunResult): string | undefined {
    return status === 'succeeded' ? undefined : run_id;
  }

  async find(organizationId: string, id: string): Promise<Task | undefined> {
    const run = await this.runs.find(organizationId, id);
    if (!run) return undefined;
    const change = await this.steps.lastChange(organizationId, id, failedStep(run));
    return {
      id,
      createdAt: run.createdAt,
      changedAt: lastChange(run, change.at),
      state: await this.stateOf(run, change.error),
      message: messageOf(run),
      ...(run.status === 'waiting' && { askAgainAt: run.availableAt }),
    };
  }

  async cancel(organizationId: string, id: string): Promise<boolean> {
    return await this.control.cancelIfOpen(organizationId, id);
  }

  private async stateOf(run: Run, error: StepError | null): Promise<TaskState> {
    switch (run.status) {
      case 'queued':
      case 'running':
      case 'waiting':
        return { status: 'working' };
      case 'succeeded':
        return { status: 'succeeded', result: await this.resultOf(run) };
      case 'failed':
        return { status: 'failed', error: failureOf(run, error) };
      case 'canceled':
        return { status: 'canceled' };
    }
  }

  private async resultOf(run: Run): Promise<TriggeredRunResult | OfferedRunResult> {
    const { organizationId, id } = run;
    if (run.triggerType === 'tool') return await this.offered.of(organizationId, run);
    const returned = await this.steps.returned(run);
    if (returned) return { run_id: id, status: 'succeeded', outputs: returned };
    const found = await this.steps.outcomes(organizationId, id, MAX_OUTPUT_BYTES);
    if ('steps' in found) return outcomeOf(run, found.steps);
    const message = `The outputs ${found.fault}. Read them with get_run and get_run_value.`;
    return { run_id: id, status: 'succeeded', message };
  }
}

function outcomeOf(run: Run, steps: readonly StepOutcome[]): TriggeredRunResult {
  const outputs = steps
    .filter(({ status }) => status === 'succeeded')
    // The outputs of steps in a loop are in the results of the loop.
    .filter(({ tool, output }) => tool !== null || (output && 'results' in output))
    .map(({ stepId, output }): [string, object] => [stepId, output ?? {}]);
  return { run_id: run.id, status: 'succeeded', outputs: Object.fromEntries(outputs) };
}

/** The error codes of steps that end a run on purpose. No tool has these codes. */
const OWN_CODES: readonly string[] = ['stopped', TIMED_OUT];

/** Returns the id of the step that ended a failed run. */
function failedStep({ reason }: Run): string | undefined {
  if (reason === TIMED_OUT) return TIMEOUT_STEP_ID;
  return /^(?:step_failed|stopped):(.+)$/.exec(reason ?? '')?.[1];
}

function failureOf(run: Run, error: StepError | null): AppError {
  if (!error) return new AppError('internal', `Run ${run.id} failed: ${run.reason}.`);
  const place = run.reason === TIMED_OUT ? '' : ` at step ${failedStep(run)}`;
  return new AppError(
    OWN_CODES.includes(error.code) ? 'rejected' : (error.code as AppErrorCode),
    `Run ${run.id} failed${place}: ${error.message}`,
    { details: error.details },
  );
}

function messageOf({ status, reason, availableAt }: Run): string | undefined {
  switch (status) {
    case 'queued':
      return 'The run is queued.';
    case 'running':
      return 'The run is running.';
    case 'waiting':
      return `The run waits until ${availableAt.toISOString()}${reason === 'retry' ? ' to try a step again' : ''}.`;
    case 'succeeded':
    case 'failed':
      return undefined;
    case 'canceled':
      return 'The run was canceled.';
  }
}

function lastChange(run: Run, lastStep: Date | null): Date {
  const times = [run.createdAt, run.startedAt, run.finishedAt, lastStep];
  return new Date(Math.max(...times.map(Number)));
}

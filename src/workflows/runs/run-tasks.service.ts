import { Injectable } from '@nestjs/common';
import { AppError, type AppErrorCode } from '../../errors/app-error.js';
import type { Task, TaskSource, TaskState } from '../../tools/contract/task-source.js';
import { RunJournalRepository } from '../journal/run-journal.repository.js';
import type { Run, RunStep } from '../journal/run.entity.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { OfferedRunResultsService } from './offered-run-results.service.js';
import { RunControlService } from './run-control.service.js';
import type { OfferedRunResult, TriggeredRunResult } from './run.results.js';

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
    private readonly journal: RunJournalRepository,
    private readonly control: RunControlService,
    private readonly offered: OfferedRunResultsService,
  ) {}

  idOf({ run_id, status }: TriggeredRunResult | OfferedRunResult): string | undefined {
    return status === 'succeeded' ? undefined : run_id;
  }

  async find(organizationId: string, id: string): Promise<Task | undefined> {
    const run = await this.runs.find(organizationId, id);
    if (!run) return undefined;
    const journal =
      run.status === 'succeeded'
        ? await this.journal.read(organizationId, id)
        : await this.journal.listOutlines(organizationId, [id]);
    return {
      id,
      createdAt: run.createdAt,
      changedAt: lastChange(run, journal),
      state:
        run.triggerType === 'tool' && run.status === 'succeeded'
          ? { status: 'succeeded', result: await this.offered.of(organizationId, run, journal) }
          : stateOf(run, journal),
      message: messageOf(run),
      ...(run.status === 'waiting' && { askAgainAt: run.availableAt }),
    };
  }

  async cancel(organizationId: string, id: string): Promise<boolean> {
    return await this.control.cancelIfOpen(organizationId, id);
  }
}

function stateOf(run: Run, journal: readonly RunStep[]): TaskState {
  switch (run.status) {
    case 'queued':
    case 'running':
    case 'waiting':
      return { status: 'working' };
    case 'succeeded':
      return { status: 'succeeded', result: outcomeOf(run, journal) };
    case 'failed':
      return { status: 'failed', error: failureOf(run, journal) };
    case 'canceled':
      return { status: 'canceled' };
  }
}

function outcomeOf(run: Run, journal: readonly RunStep[]): TriggeredRunResult {
  const outputs = journal
    .filter(({ status }) => status === 'succeeded')
    .filter(({ tool, output }) => tool !== null || (output && 'results' in output))
    // The outputs of steps in a loop are in the results of the loop.
    .filter(({ stepId }) => !stepId.includes('['))
    .map(({ stepId, output }): [string, object] => [stepId, output ?? {}]);
  return { run_id: run.id, status: 'succeeded', outputs: Object.fromEntries(outputs) };
}

function failureOf(run: Run, journal: readonly RunStep[]): AppError {
  const stepId = /^(?:step_failed|stopped):(.+)$/.exec(run.reason ?? '')?.[1];
  const error = journal.find((step) => step.stepId === stepId)?.error;
  if (!error) return new AppError('internal', `Run ${run.id} failed: ${run.reason}.`);
  return new AppError(
    error.code === 'stopped' ? 'rejected' : (error.code as AppErrorCode),
    `Run ${run.id} failed at step ${stepId}: ${error.message}`,
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

function lastChange(run: Run, journal: readonly RunStep[]): Date {
  const times = [run, ...journal].flatMap(({ startedAt, finishedAt }) => [startedAt, finishedAt]);
  return new Date(Math.max(...[run.createdAt, ...times].map(Number)));
}

import { Injectable } from '@nestjs/common';
import { AppError } from '../../../errors/app-error.js';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import type { TaskState } from '../../../tools/contract/task-source.js';
import type { RunWorkflowStep } from '../../definitions/definition.js';
import { renderArguments } from '../../definitions/scope.js';
import { isWorkflowId } from '../../definitions/steps/run-workflow-step.js';
import {
  type ClaimedRun,
  type JournalEntry,
  StepCanceledError,
} from '../../journal/claimed-run.js';
import { LeaseLostError } from '../../journal/run-lease.js';
import type { RunTransaction } from '../../journal/run-transaction.js';
import type { StepError } from '../../journal/run.entity.js';
import { RunsRepository } from '../../journal/runs.repository.js';
import { RunTasksService } from '../../runs/run-tasks.service.js';
import { ManualStartsService } from '../../triggers/manual-starts.service.js';
import { EventWaitsService } from '../event-waits.service.js';
import { type Progress, RunProgressService, type StepAttempt } from '../run-progress.service.js';
import { RunScopeService } from '../run-scope.service.js';
import { getPauseSeconds } from '../step-retry-delay.js';
import type { StepRunner } from './step-runners.service.js';

const CONTACT_ID = /^[0-9A-Za-z_]{1,64}$/;
const MAX_WAIT = { days: 366 };
/** The reason of a run that was canceled together with the run that waited for it (`cancel_children.sql`). */
const PARENT_ENDED = 'parent_ended';

/**
 * Starts a run of another workflow, and waits for its end. The new run, the journal entry and the wait commit together.
 * So the step starts only one run and cannot miss its end.
 */
@Injectable()
export class RunWorkflowRunner implements StepRunner<RunWorkflowStep> {
  readonly kind = 'run_workflow';

  constructor(
    private readonly progress: RunProgressService,
    private readonly scope: RunScopeService,
    private readonly eventWaits: EventWaitsService,
    private readonly starts: ManualStartsService,
    private readonly tasks: RunTasksService,
    private readonly runs: RunsRepository,
    private readonly liquid: LiquidSandbox,
  ) {}

  async run(attempt: StepAttempt<RunWorkflowStep>): Promise<Progress> {
    const { run, place } = attempt;
    const earlier = run.get(place.path);
    // An entry without an output is a failed attempt to start the run.
    if (earlier?.output) {
      const ended = await this.progress.transaction(attempt, (tx) =>
        this.end(tx, place.step, earlier),
      );
      if (ended) return ended;
    }
    const entry = { ...run.newEntry(place), attempts: (earlier?.attempts ?? 0) + 1 };
    try {
      return await this.progress.transaction(attempt, (tx) => this.begin(tx, attempt, entry));
    } catch (error) {
      if (error instanceof StepCanceledError) throw error;
      if (error instanceof LeaseLostError || run.signal.aborted) throw new LeaseLostError();
      return await this.progress.fail(attempt, entry, error);
    }
  }

  private async begin(
    tx: RunTransaction,
    { run, place }: StepAttempt<RunWorkflowStep>,
    entry: JournalEntry,
  ): Promise<Progress> {
    const { step } = place;
    const scope = await this.scope.getScopeIfMet(tx, place, true);
    if (!scope) return await this.progress.complete(tx, { ...entry, status: 'skipped' });
    const { organizationId, id: parentRunId } = run.lease;
    const input = {
      workflow_id: await this.evaluateWorkflowId(run, step, scope),
      payload: await renderArguments(organizationId, step.payload ?? {}, scope, this.liquid),
      contact_id: await this.evaluateContactId(run, step, scope),
    };
    entry.input = input;
    const runId = await this.starts.start(organizationId, {
      workflowId: input.workflow_id,
      payload: input.payload,
      contactId: input.contact_id ?? undefined,
      parentRunId,
    });
    if (step.wait === false) {
      const output = { run_id: runId, status: 'queued', reason: null };
      return await this.progress.complete(tx, { ...entry, status: 'succeeded', output });
    }
    const begun = { ...entry, output: { run_id: runId } };
    const { timeout = MAX_WAIT, on_parent_end: onParentEnd = 'cancel' } = step;
    const cancelsChild = onParentEnd === 'cancel';
    const wait = { event: 'run.ended', childRunId: runId, cancelsChild } as const;
    const waiting = await this.eventWaits.arm(run, begun, wait, timeout, scope);
    return await this.progress.complete(tx, waiting);
  }

  /**
   * Ends the wait if the child run has ended or the time is over. When the child run has failed, a step with `retry`
   * starts another child run later. After a timeout there is no other attempt, because the child run continues. When
   * the child run was canceled together with this run, and this run was then retried, this method changes nothing and
   * returns undefined. The caller must then start another child run.
   */
  private async end(
    tx: RunTransaction,
    { retry }: RunWorkflowStep,
    entry: JournalEntry,
  ): Promise<Progress | undefined> {
    const { organizationId } = tx.run.lease;
    const { run_id: childId } = entry.output as { run_id: string };
    const child = await this.runs.find(organizationId, childId);
    if (child?.status === 'canceled' && child.reason === PARENT_ENDED) return undefined;
    // The lock keeps the child run from ending between the check and the end of the wait.
    const ended = await this.eventWaits.end(tx, entry);
    if ('waiting' in ended) return await this.progress.complete(tx, ended.waiting);
    const state = (await this.tasks.find(organizationId, childId))?.state;
    if (state?.status === 'succeeded') {
      const output = toOutput(childId, state);
      return await this.progress.complete(tx, { ...entry, status: 'succeeded', output });
    }
    const output = { run_id: childId, status: child?.status ?? 'unknown' };
    const isRetried = retry !== undefined && state?.status === 'failed';
    const seconds = isRetried ? getPauseSeconds(retry, entry.attempts) : undefined;
    return await this.progress.completeFailed(tx, entry, toError(childId, state), seconds, output);
  }

  private async evaluateWorkflowId(
    run: ClaimedRun,
    step: RunWorkflowStep,
    scope: object,
  ): Promise<string> {
    const { organizationId } = run.lease;
    const id = await this.liquid.evaluate(organizationId, step.run_workflow, scope);
    if (typeof id === 'string' && isWorkflowId(id)) return id;
    throw AppError.invalid('run_workflow is not the id of a workflow.');
  }

  private async evaluateContactId(
    run: ClaimedRun,
    step: RunWorkflowStep,
    scope: object,
  ): Promise<string | null> {
    if (step.contact_id === undefined) return run.row.contactId;
    const { organizationId } = run.lease;
    const id = await this.liquid.evaluate(organizationId, step.contact_id, scope);
    if (id === null || id === undefined || id === '') return null;
    if (typeof id === 'string' && CONTACT_ID.test(id)) return id;
    throw AppError.invalid('contact_id is not the id of a contact.');
  }
}

function toOutput(runId: string, state: TaskState & { status: 'succeeded' }): object {
  // The result has a message in place of outputs that are too large. The outputs are still stored with the run itself.
  const { outputs, message } = state.result as { outputs?: object; message?: string };
  const output = { run_id: runId, status: 'succeeded', reason: null };
  if (outputs) return { ...output, outputs };
  const reason = `${message ?? 'The run has no outputs.'} The run is ${runId}.`;
  return { ...output, outputs: null, too_large: { outputs: reason } };
}

function toError(runId: string, state: TaskState | undefined): StepError {
  switch (state?.status) {
    case 'failed':
      return { code: 'rejected', message: state.error.message };
    case 'canceled':
      return { code: 'rejected', message: `Run ${runId} was canceled.` };
    case undefined:
      return { code: 'not_found', message: `Run ${runId} no longer exists.` };
    default:
      return {
        code: 'unavailable',
        message: `Run ${runId} did not end before the timeout; it continues.`,
      };
  }
}

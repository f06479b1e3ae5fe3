import { Injectable } from '@nestjs/common';
import { AppError } from '../../../errors/app-error.js';
import { LiquidSandbox } from '../../../liquid/liquid-sandbox.js';
import type { TaskState } from '../../../tools/contract/task-source.js';
import type { HeldRun, JournalEntry } from '../../journal/claimed-run.js';
import { LeaseLost } from '../../journal/lease-lost.js';
import { type Progress, RunProgress } from '../run-progress.service.js';
import { RunScope } from '../run-scope.service.js';
import type { StepError } from '../../journal/run-step.entity.js';
import { RunTasks } from '../../runs/run-tasks.service.js';
import { RunWaitsRepository } from '../../waits/run-waits.repository.js';
import { RunStarts } from '../../triggers/run-starts.service.js';
import { renderArguments } from '../../definitions/scope.js';
import type { Place } from '../../definitions/step-engine.js';
import { isWorkflowId, type RunWorkflowStep } from '../../definitions/steps/run-workflow-step.js';
import type { StepRunner } from './step-runner.js';
import { WaitRunner } from './wait.runner.js';

const MAX_OUTPUT_BYTES = 1024 * 1024;
const CONTACT_ID = /^[0-9A-Za-z_]{1,64}$/;
const LONGEST_WAIT = { days: 366 };

/** What the entry of a step says of the run that it has started. */
interface Started {
  run_id: string;
}

/**
 * Starts runs of other workflows and waits for their ends. The row of the run, the entry in the journal and the wait
 * are written together, so a step starts one run, whoever carries it out, and misses no end.
 */
@Injectable()
export class RunWorkflowRunner implements StepRunner<RunWorkflowStep> {
  constructor(
    private readonly progress: RunProgress,
    private readonly scope: RunScope,
    private readonly waits: RunWaitsRepository,
    private readonly timer: WaitRunner,
    private readonly runs: RunStarts,
    private readonly tasks: RunTasks,
    private readonly liquid: LiquidSandbox,
  ) {}

  async run(held: HeldRun, place: Place<RunWorkflowStep>): Promise<Progress> {
    const earlier = held.journal.get(place.path);
    // Without an output it is one that could not be started, to be tried again.
    if (earlier?.output) return await this.progress.fenced(held, () => this.end(held, earlier));
    const entry = { ...held.newEntry(place), attempts: (earlier?.attempts ?? 0) + 1 };
    try {
      return await this.progress.fenced(held, () => this.begin(held, place, entry));
    } catch (error) {
      if (error instanceof LeaseLost || held.signal.aborted) throw new LeaseLost();
      return await this.progress.failed(held, place, entry, error);
    }
  }

  private async begin(
    held: HeldRun,
    place: Place<RunWorkflowStep>,
    entry: JournalEntry,
  ): Promise<Progress> {
    const { step, path } = place;
    const scope = await this.scope.of(held, place);
    if (!this.scope.allows(step, scope)) {
      return await this.progress.done(held, { ...entry, status: 'skipped' });
    }
    const { organizationId, id: parentRunId } = held.lease;
    const input = {
      workflow_id: this.workflowOf(step, scope),
      payload: renderArguments(step.payload ?? {}, scope, this.liquid),
      contact_id: this.contactOf(held, step, scope),
    };
    entry.input = input;
    const runId = await this.runs.trigger(organizationId, {
      workflowId: input.workflow_id,
      payload: input.payload,
      contactId: input.contact_id ?? undefined,
      parentRunId,
    });
    if (step.wait === false) {
      const output = { run_id: runId, status: 'queued', reason: null };
      return await this.progress.done(held, { ...entry, status: 'succeeded', output });
    }
    const wait = step.timeout ?? LONGEST_WAIT;
    const { at: wakeAt } = await this.timer.end(held, { wait }, scope);
    await this.waits.arm(organizationId, {
      runId: parentRunId,
      stepId: path,
      event: 'run.ended',
      childRunId: runId,
    });
    const output = { run_id: runId, until: wakeAt.toISOString() };
    return await this.progress.done(
      held,
      await this.progress.until(held, { ...entry, output }, wakeAt),
    );
  }

  /** Once the run has ended, or the time is over; then it goes on, but nobody waits for it. */
  private async end(held: HeldRun, waiting: JournalEntry): Promise<Progress> {
    const { organizationId, id } = held.lease;
    const { run_id: childId } = waiting.output as Started;
    // Locked, the run cannot end unnoticed between here and the end of the wait.
    const outcome = await this.waits.take(organizationId, id, waiting.stepId);
    if (outcome?.state !== 'delivered') {
      const again = await this.progress.until(held, waiting, waiting.wakeAt!);
      // The time of this process may have passed quicker than that of the database, which decides.
      if (again.dueAt! > performance.now()) return await this.progress.done(held, again);
    }
    await this.waits.end(organizationId, id, waiting.stepId);
    const state = (await this.tasks.find(organizationId, childId))?.state;
    if (state?.status === 'succeeded') {
      const output = outputOf(childId, state);
      return await this.progress.done(held, { ...waiting, status: 'succeeded', output });
    }
    const output = { run_id: childId, status: state?.status ?? 'unknown' };
    const error = errorOf(childId, state);
    return await this.progress.done(held, { ...waiting, status: 'failed', output, error });
  }

  private workflowOf(step: RunWorkflowStep, scope: object): string {
    const id = this.liquid.evaluate(step.run_workflow, scope);
    if (typeof id === 'string' && isWorkflowId(id)) return id;
    throw AppError.invalid('run_workflow is not the id of a workflow.');
  }

  private contactOf(held: HeldRun, step: RunWorkflowStep, scope: object): string | null {
    if (step.contact_id === undefined) return held.run.contactId;
    const id = this.liquid.evaluate(step.contact_id, scope);
    if (id === null || id === undefined || id === '') return null;
    if (typeof id === 'string' && CONTACT_ID.test(id)) return id;
    throw AppError.invalid('contact_id is not the id of a contact.');
  }
}

function outputOf(runId: string, state: TaskState & { status: 'succeeded' }): object {
  const { outputs = {} } = state.result as { outputs?: object };
  const output = { run_id: runId, status: 'succeeded', reason: null };
  // What is too large to be kept twice can still be read from the run itself.
  const isSmall = Buffer.byteLength(JSON.stringify(outputs)) <= MAX_OUTPUT_BYTES;
  return { ...output, outputs: isSmall ? outputs : null };
}

function errorOf(runId: string, state: TaskState | undefined): StepError {
  switch (state?.status) {
    case 'failed':
      return { code: 'rejected', message: state.error.message };
    case 'canceled':
      return { code: 'rejected', message: `Run ${runId} was canceled.` };
    case undefined:
      return { code: 'not_found', message: `Run ${runId} is not kept any more.` };
    default:
      return { code: 'unavailable', message: `Run ${runId} did not end in time; it goes on.` };
  }
}

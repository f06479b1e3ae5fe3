import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { newId } from '../../text/ids.js';
import type { Step } from '../definitions/definition.js';
import { type RetryPlan, createRetryPlan } from '../journal/run-retry-plan.js';
import { RunJournalRepository } from '../journal/run-journal.repository.js';
import { LargePayloadsService } from '../payloads/large-payloads.service.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import type { EditedPayload } from './edited-payload.js';
import { type EndedRun, RunControlRepository } from './run-control.repository.js';
import type { RunVersion } from './run.inputs.js';

export interface ControlOutcome {
  /** The ids of the runs that were changed or created. */
  done: string[];
  refused: { runId: string; error: AppError }[];
}

/** Plans the step at which an ended run continues. Then queues this run again, or queues a copy of it. */
@Injectable()
export class RunRetriesService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly control: RunControlRepository,
    private readonly journal: RunJournalRepository,
    private readonly largePayloads: LargePayloadsService,
  ) {}

  /**
   * Queues the failed and canceled runs again. Without `wait`, runs that another transaction has locked are refused.
   */
  async retry(
    organizationId: string,
    ids: readonly string[],
    version: RunVersion,
    wait: boolean,
  ): Promise<ControlOutcome> {
    const runs = await this.control.lockEnded(organizationId, ids, wait);
    const found = runs.map(({ id }) => id);
    const journals = await this.journal.getStepStates(organizationId, found);
    const definitions = new Map<string, readonly Step[]>();
    const planned: { id: string; version: number; plan: RetryPlan }[] = [];
    const text =
      'Only a failed or canceled run that nothing else is changing can be retried. Check its status, then try again.';
    const refused = refuseOthers(ids, found, text);
    for (const run of runs) {
      const { id, workflowId, workflowVersion } = run;
      try {
        const target = await this.targetVersion(organizationId, run, version);
        const steps = await this.steps(organizationId, workflowId, target, definitions);
        const before = await this.steps(organizationId, workflowId, workflowVersion, definitions);
        const plan = createRetryPlan(journals.get(id) ?? [], steps, before);
        planned.push({ id, version: target, plan });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refused.push({ runId: id, error });
      }
    }
    await this.journal.applyRetryPlans(organizationId, planned);
    await this.control.requeue(organizationId, planned);
    return { done: planned.map(({ id }) => id), refused };
  }

  /** Queues a copy of each run whose workflow is active. An edited payload replaces the payload of every run. */
  async replay(
    organizationId: string,
    ids: readonly string[],
    version: RunVersion,
    edited?: EditedPayload,
  ): Promise<ControlOutcome> {
    const runs = ids.map((id) => ({ id, newId: newId('run') }));
    const made = await this.control.replay(organizationId, runs, version, edited);
    for (const { id, replay_of: original, isLarge } of made) {
      if (isLarge) await this.largePayloads.copy(organizationId, original, id);
    }
    const text = 'The workflow of the run is not active. Activate it first.';
    const found = made.map(({ replay_of: original }) => original);
    return { done: made.map(({ id }) => id), refused: refuseOthers(ids, found, text) };
  }

  private async targetVersion(
    organizationId: string,
    { workflowId, workflowVersion }: EndedRun,
    version: RunVersion,
  ): Promise<number> {
    if (version === 'same') return workflowVersion;
    const workflow = await this.workflows.find(organizationId, workflowId);
    if (workflow) return workflow.version;
    throw new AppError(
      'conflict',
      'The workflow of the run was deleted. Retry the run with version "same".',
    );
  }

  private async steps(
    organizationId: string,
    workflowId: string,
    version: number,
    known: Map<string, readonly Step[]>,
  ): Promise<readonly Step[]> {
    const key = `${workflowId} ${version}`;
    const steps =
      known.get(key) ?? (await this.workflows.getRunSteps(organizationId, workflowId, version));
    known.set(key, steps);
    return steps;
  }
}

/** Returns refusals, all with the same message, for the runs among `ids` that are not `done`. */
export function refuseOthers(
  ids: readonly string[],
  done: readonly string[],
  message: string,
): ControlOutcome['refused'] {
  const known = new Set(done);
  return ids
    .filter((id) => !known.has(id))
    .map((runId) => ({ runId, error: new AppError('conflict', message) }));
}

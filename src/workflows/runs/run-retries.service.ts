import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { newId } from '../../text/ids.js';
import type { Step } from '../definitions/definition.js';
import { MAX_LOADED_ENTRIES } from '../journal/journal-size.js';
import { type ReachedStep, type RetryPlan, createRetryPlan } from '../journal/run-retry-plan.js';
import { RunJournalRepository } from '../journal/run-journal.repository.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { LargePayloadsService } from '../payloads/large-payloads.service.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import {
  type Ancestry,
  type ChainPlace,
  findAncestry,
  loopFault,
  retriedPlace,
} from '../triggers/run-chain.js';
import type { EditedPayload } from './edited-payload.js';
import { type EndedRun, type RequeuedRun, RunControlRepository } from './run-control.repository.js';
import type { RunVersion } from './run.inputs.js';

export interface ControlOutcome {
  /** The ids of the runs that were changed or created. */
  done: string[];
  refused: { runId: string; error: AppError }[];
}

export interface RetryOptions {
  /** Waits for runs that another transaction has locked. Otherwise these runs are refused. */
  readonly wait?: boolean;
  /** The run whose step makes the call. Absent for calls of people and agents. */
  readonly callerRunId?: string | undefined;
}

/** The largest number of stored steps of several runs that are planned together. */
const MAX_PLANNED_TOGETHER = 10_000;

interface PlannedRun extends RequeuedRun {
  readonly plan: RetryPlan;
}

/** Plans the step at which an ended run continues. Then queues this run again, or queues a copy of it. */
@Injectable()
export class RunRetriesService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly control: RunControlRepository,
    private readonly journal: RunJournalRepository,
    private readonly largePayloads: LargePayloadsService,
    private readonly runs: RunsRepository,
  ) {}

  /**
   * Queues the failed and canceled runs again. Refuses runs whose journal is too large to be planned. When a step makes
   * the call, the runs follow from its run, and a run is refused when the chain of runs would be too long. Otherwise
   * each run begins a chain, as a run that a person starts.
   */
  async retry(
    organizationId: string,
    ids: readonly string[],
    version: RunVersion,
    { wait = false, callerRunId }: RetryOptions,
  ): Promise<ControlOutcome> {
    const ancestry = await findAncestry(this.runs, organizationId, callerRunId);
    const runs = await this.control.lockEnded(organizationId, ids, wait);
    const found = runs.map(({ id }) => id);
    const counts = await this.journal.countEntries(organizationId, found);
    const text =
      'Only a failed or canceled run that nothing else is changing can be retried. Check its status, then try again.';
    const refused = refuseOthers(ids, found, text);
    const allowed: EndedRun[] = [];
    for (const run of runs) {
      const fault = faultOf(run, counts.get(run.id)!, ancestry);
      if (fault === undefined) allowed.push(run);
      else refused.push({ runId: run.id, error: new AppError('conflict', fault) });
    }
    const definitions = new Map<string, readonly Step[]>();
    const done: string[] = [];
    for (const part of partsOf(allowed, counts)) {
      const planned: PlannedRun[] = [];
      const journals = await this.journal.getStepStates(
        organizationId,
        part.map(({ id }) => id),
      );
      for (const run of part) {
        try {
          const reached = journals.get(run.id)!;
          const planOfRun = await this.plan(organizationId, run, version, reached, definitions);
          planned.push({ ...planOfRun, ...retriedPlace(run, ancestry) });
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          refused.push({ runId: run.id, error });
        }
      }
      await this.journal.applyRetryPlans(organizationId, planned);
      await this.control.requeue(organizationId, planned);
      done.push(...planned.map(({ id }) => id));
    }
    return { done, refused };
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

  private async plan(
    organizationId: string,
    run: EndedRun,
    version: RunVersion,
    reached: readonly ReachedStep[],
    definitions: Map<string, readonly Step[]>,
  ): Promise<Omit<PlannedRun, keyof ChainPlace>> {
    const { id, workflowId, workflowVersion } = run;
    const target = await this.targetVersion(organizationId, run, version);
    const steps = await this.steps(organizationId, workflowId, target, definitions);
    const before = await this.steps(organizationId, workflowId, workflowVersion, definitions);
    return { id, version: target, plan: createRetryPlan(reached, steps, before) };
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

/** Returns the reason for which a run cannot be retried, or undefined. */
function faultOf(run: EndedRun, entries: number, ancestry: Ancestry): string | undefined {
  if (entries > MAX_LOADED_ENTRIES) {
    return (
      `The run has more than ${MAX_LOADED_ENTRIES} stored steps, so it cannot be retried. ` +
      'Start another run of its workflow.'
    );
  }
  return loopFault({ ...ancestry, ...retriedPlace(run, ancestry) });
}

/**
 * Splits the runs into parts that are planned one after the other. Without this, reading the journals of many runs in
 * one piece would keep the process from other work.
 */
function partsOf(runs: readonly EndedRun[], counts: ReadonlyMap<string, number>): EndedRun[][] {
  const parts: EndedRun[][] = [];
  let entries = 0;
  for (const run of runs) {
    const count = counts.get(run.id)!;
    const part = parts.at(-1);
    if (part && entries + count <= MAX_PLANNED_TOGETHER) {
      part.push(run);
      entries += count;
    } else {
      parts.push([run]);
      entries = count;
    }
  }
  return parts;
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

import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/tenant-database.js';
import { parseJson } from '../http/parse-json.js';
import type { HeldRun, RunLease } from './held-run.js';
import { LeaseLost } from './lease-lost.js';
import { RunJournalRepository } from './run-journal.repository.js';
import { type Progress, RunProgress } from './run-progress.service.js';
import { RunsRepository } from './runs.repository.js';
import { nextAction } from './step-engine.js';
import { StepRunners } from './steps/step-runners.service.js';
import { WorkflowsRepository } from './workflows.repository.js';

/**
 * Carries a run on from where its journal ends. What a step does to the data of the organization, its row in the
 * journal and the check of the lease commit together, so each such step happens exactly once.
 */
@Injectable()
export class RunExecutor {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly workflows: WorkflowsRepository,
    private readonly runs: RunsRepository,
    private readonly journal: RunJournalRepository,
    private readonly progress: RunProgress,
    private readonly runners: StepRunners,
  ) {}

  /** Runs steps until the run ends, waits, or is no longer held. */
  async execute(lease: RunLease, signal: AbortSignal): Promise<void> {
    try {
      const held = await this.load(lease, signal);
      let progress: Progress = 'on';
      while (progress === 'on' && !signal.aborted) progress = await this.advance(held);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    }
  }

  private async load(lease: RunLease, signal: AbortSignal): Promise<HeldRun> {
    const { organizationId, id } = lease;
    return await this.tenants.transaction(
      organizationId,
      async () => {
        const run = await this.runs.find(organizationId, id);
        if (run?.epoch !== lease.epoch) throw new LeaseLost();
        const { workflowId, workflowVersion } = run;
        const entries = await this.journal.read(organizationId, id);
        return {
          lease,
          signal,
          run,
          steps: await this.workflows.getRunSteps(organizationId, workflowId, workflowVersion),
          workflowName: await this.workflows.getName(organizationId, workflowId),
          payload: parseJson(await this.runs.getPayload(organizationId, id)),
          journal: new Map(entries.map((entry) => [entry.stepId, entry])),
        };
      },
      { readOnly: true },
    );
  }

  private async advance(held: HeldRun): Promise<Progress> {
    const action = nextAction(held.steps, held.journal);
    switch (action.kind) {
      case 'run':
        return await this.runners.of(action.step).run(held, action);
      case 'sleep':
        return await this.progress.sleep(held, held.journal.get(action.path)!);
      case 'fail':
      case 'finish':
        return await this.progress.fenced(held, () => this.progress.goOn(held));
    }
  }
}

import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { parseJson } from '../../http/request-body.js';
import { readTimeCursor, timeCursor } from '../../paging/paging.js';
import type { Step } from '../definitions/definition.js';
import { RunJournalRepository } from '../journal/run-journal.repository.js';
import type { Run, RunStatus, RunStep } from '../journal/run.entity.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import type { RunFilter } from './run-filter.js';
import { RunSearch } from './run-search.repository.js';
import { type RunView, runView } from './run.results.js';

/** Shows runs to callers. */
@Injectable()
export class RunsService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly runs: RunsRepository,
    private readonly search: RunSearch,
    private readonly journal: RunJournalRepository,
  ) {}

  /** Throws `not_found` when the organization has no such run. */
  async get(organizationId: string, id: string): Promise<RunView> {
    const run = await this.require(organizationId, id);
    const steps = await this.workflows.getRunSteps(
      organizationId,
      run.workflowId,
      run.workflowVersion,
    );
    const journal = await this.journal.read(organizationId, id);
    const payload = parseJson(await this.runs.getPayload(organizationId, id));
    return runView(run, steps, journal, payload);
  }

  /** The steps of the workflow in the version that the run keeps to. */
  async getDefinition(organizationId: string, run: RunView): Promise<readonly Step[]> {
    return await this.workflows.getSteps(organizationId, run.workflow_id, run.workflow_version);
  }

  /** Ids of runs of late that begin with the text, of all or in one state, newest first, at most `limit`. */
  idsStartingWith(
    organizationId: string,
    text: string,
    status: RunStatus | undefined,
    limit: number,
  ): Promise<string[]> {
    return this.search.idsStartingWith(organizationId, text, status, limit);
  }

  /**
   * One page of runs, the newest first. Their steps come without inputs and outputs, their triggers without payload. A
   * page may hold fewer than `limit` and still have a cursor: then looking further is left to the next call.
   */
  async list(
    organizationId: string,
    filter: RunFilter,
    page: { limit: number; cursor?: string },
  ): Promise<{ runs: RunView[]; nextCursor: string | null }> {
    const after = readTimeCursor(page.cursor);
    const { found, next } = await this.search.find(organizationId, filter, after, page.limit);
    const ids = found.map(({ id }) => id);
    const runs = await this.search.read(organizationId, ids);
    const journals = groupByRun(await this.journal.outlines(organizationId, ids));
    return {
      runs: runs.map((run) => runView(run, [], journals.get(run.id) ?? [], undefined)),
      nextCursor: next ? timeCursor({ createdAt: next.at, id: next.id }) : null,
    };
  }

  /** Throws `not_found` when the organization has no such run. */
  async require(organizationId: string, id: string): Promise<Run> {
    const run = await this.runs.find(organizationId, id);
    if (!run) throw AppError.notFound('run');
    return run;
  }
}

function groupByRun(steps: readonly RunStep[]): Map<string, RunStep[]> {
  const groups = new Map<string, RunStep[]>();
  for (const step of steps) groups.set(step.runId, [...(groups.get(step.runId) ?? []), step]);
  return groups;
}

import { Injectable } from '@nestjs/common';
import { parseJson } from '../../http/request-body.js';
import { readTimeCursor, timeCursor } from '../../paging/paging.js';
import { RunJournalRepository } from '../journal/run-journal.repository.js';
import type { RunStep } from '../journal/run.entity.js';
import { RunsRepository } from '../journal/runs.repository.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import type { RunFilter } from './run-filter.js';
import { RunSearchRepository } from './run-search.repository.js';
import { type RunPage, type RunView, runView } from './run.results.js';

@Injectable()
export class RunsService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly runs: RunsRepository,
    private readonly search: RunSearchRepository,
    private readonly journal: RunJournalRepository,
  ) {}

  /** Throws `not_found` when the organization has no such run. */
  async get(organizationId: string, id: string): Promise<RunView> {
    const run = await this.runs.get(organizationId, id);
    const { workflowId, workflowVersion } = run;
    const steps = await this.workflows.getRunSteps(organizationId, workflowId, workflowVersion);
    const journal = await this.journal.read(organizationId, id);
    const payload = parseJson(await this.runs.getPayload(organizationId, id));
    return runView(run, steps, journal, payload);
  }

  /** Returns runs without payloads, inputs and outputs. A page with fewer runs than `limit` may still have a cursor. */
  async list(
    organizationId: string,
    filter: RunFilter,
    page: { limit: number; cursor?: string },
  ): Promise<RunPage> {
    const after = readTimeCursor(page.cursor);
    const { found, next } = await this.search.find(organizationId, filter, after, page.limit);
    const ids = found.map(({ id }) => id);
    const runs = await this.search.read(organizationId, ids);
    const journals = groupByRun(await this.journal.listOutlines(organizationId, ids));
    return {
      runs: runs.map((run) => runView(run, [], journals.get(run.id) ?? [], undefined)),
      next_cursor: next ? timeCursor({ createdAt: next.at, id: next.id }) : null,
    };
  }
}

function groupByRun(steps: readonly RunStep[]): Map<string, RunStep[]> {
  const groups = new Map<string, RunStep[]>();
  for (const step of steps) groups.set(step.runId, [...(groups.get(step.runId) ?? []), step]);
  return groups;
}

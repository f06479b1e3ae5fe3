import { Injectable } from '@nestjs/common';
import { AppError } from '../../../errors/app-error.js';
import { pageOf, readCursor, writeCursor } from '../../../paging/paging.js';
import type { ToolCall } from '../../../tools/contract/tool-call.js';
import { diffSteps } from './definition-diff.js';
import { jsonDiff } from './json-diff.js';
import { asUpdate, contentOf, type VersionContent } from '../../store/version-content.js';
import { WorkflowVersionSummary } from './workflow-version.results.js';
import { WorkflowVersionView } from './workflow-version.results.js';
import type { WorkflowVersion } from '../../store/workflow-version.entity.js';
import type { WorkflowVersionsDiff } from './workflow-version.results.js';
import { WorkflowVersionsRepository } from '../../store/workflow-versions.repository.js';
import type { Workflow } from '../../store/workflow.entity.js';
import { WorkflowsRepository } from '../../store/workflows.repository.js';
import { type SavedWorkflow, WorkflowsService } from '../workflows.service.js';

/** A version and what it says besides its steps, if anything knows that. */
interface Known {
  version: WorkflowVersion;
  content: VersionContent | null;
  newest: number;
}

/** What was saved of workflows. Every method runs in a transaction of the organization that its caller has opened. */
@Injectable()
export class WorkflowVersionsService {
  constructor(
    private readonly versions: WorkflowVersionsRepository,
    private readonly workflows: WorkflowsRepository,
    private readonly saved: WorkflowsService,
  ) {}

  /** One page of versions, the newest first. */
  async list(
    organizationId: string,
    workflowId: string,
    page: { limit: number; cursor?: string },
  ): Promise<{ versions: WorkflowVersionSummary[]; nextCursor: string | null }> {
    const workflow = await this.require(organizationId, workflowId);
    const found = await this.versions.list(organizationId, workflowId, {
      before: readVersionCursor(page.cursor),
      limit: page.limit + 1,
    });
    const { page: rows, nextCursor } = pageOf(found, page.limit, (last) =>
      writeCursor([last.version]),
    );
    return {
      versions: rows.map((row) => WorkflowVersionSummary.of(row, workflow.version)),
      nextCursor,
    };
  }

  async get(
    organizationId: string,
    workflowId: string,
    version: number,
  ): Promise<WorkflowVersionView> {
    const known = await this.known(organizationId, workflowId, version);
    return WorkflowVersionView.whole(known.version, known.content, known.newest);
  }

  async diff(
    organizationId: string,
    workflowId: string,
    from: number,
    to: number,
  ): Promise<WorkflowVersionsDiff> {
    const before = await this.known(organizationId, workflowId, from);
    const after = await this.known(organizationId, workflowId, to);
    const isWhole = before.content !== null && after.content !== null;
    return {
      from,
      to,
      is_whole: isWhole,
      changes: isWhole ? jsonDiff(before.content, after.content) : [],
      steps: diffSteps(before.version.steps, after.version.steps),
    };
  }

  /**
   * Makes a new version with what an old one says, checked against the tools of today as if it were new. Of a version
   * that kept its steps only, these alone are brought back. The secret of the webhook is not part of a version: the one
   * that is there stays, and one is made where the version had one and there is none.
   */
  async restore(
    { organizationId, surface, actor }: ToolCall,
    workflowId: string,
    version: number,
    expectedVersion: number | undefined,
  ): Promise<SavedWorkflow> {
    const { content, version: old } = await this.known(organizationId, workflowId, version);
    return await this.saved.update(
      organizationId,
      workflowId,
      { ...(content && asUpdate(content)), steps: old.steps },
      { surface, actor, restoredFrom: version },
      expectedVersion,
    );
  }

  /** Throws `not_found` when there is no such workflow, or it has no such version. */
  private async known(organizationId: string, workflowId: string, number: number): Promise<Known> {
    const workflow = await this.require(organizationId, workflowId);
    const version = await this.versions.find(organizationId, workflowId, number);
    if (!version) {
      throw new AppError('not_found', `The workflow has versions 1 to ${workflow.version}.`);
    }
    // What the newest version says is what the workflow says, whichever release has saved it.
    const content = number === workflow.version ? contentOf(workflow) : version.content;
    return { version, content, newest: workflow.version };
  }

  private async require(organizationId: string, id: string): Promise<Workflow> {
    const workflow = await this.workflows.find(organizationId, id);
    if (!workflow) throw AppError.notFound('workflow');
    return workflow;
  }
}

function readVersionCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [version, ...more] = readCursor(cursor);
  if (Number.isSafeInteger(version) && more.length === 0) return version as number;
  throw AppError.invalid('cursor is not one that this tool gave.', [
    { path: 'cursor', message: 'is not one that this tool gave' },
  ]);
}

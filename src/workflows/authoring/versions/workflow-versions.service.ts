import { Injectable } from '@nestjs/common';
import { AppError } from '../../../errors/app-error.js';
import { pageOf, readCursor, writeCursor } from '../../../paging/paging.js';
import type { ToolCall } from '../../../tools/contract/tool-call.js';
import {
  type VersionContent,
  toWorkflowUpdate,
  toVersionContent,
} from '../../store/version-content.js';
import { stepsView } from '../../definitions/steps/failure-step.js';
import type { WorkflowVersion } from '../../store/workflow-version.entity.js';
import { WorkflowVersionsRepository } from '../../store/workflow-versions.repository.js';
import { WorkflowsRepository } from '../../store/workflows.repository.js';
import { type SavedWorkflow, WorkflowsService } from '../workflows.service.js';
import { jsonDiff } from '../../../text/json-diff.js';
import { diffSteps } from './definition-diff.js';
import {
  type WorkflowVersionPage,
  WorkflowVersionSummary,
  WorkflowVersionView,
  type WorkflowVersionsDiff,
} from './workflow-version.results.js';

/** A version, and its name and trigger if they are known. */
interface FoundVersion {
  version: WorkflowVersion;
  content: VersionContent | null;
  newest: number;
}

/** Lists, compares and restores versions of workflows. Every method needs a transaction of the organization. */
@Injectable()
export class WorkflowVersionsService {
  constructor(
    private readonly versions: WorkflowVersionsRepository,
    private readonly workflows: WorkflowsRepository,
    private readonly editor: WorkflowsService,
  ) {}

  async list(
    organizationId: string,
    workflowId: string,
    page: { limit: number; cursor?: string },
  ): Promise<WorkflowVersionPage> {
    const workflow = await this.workflows.get(organizationId, workflowId);
    const found = await this.versions.list(organizationId, workflowId, {
      before: readVersionCursor(page.cursor),
      limit: page.limit + 1,
    });
    const { page: rows, nextCursor } = pageOf(found, page.limit, (last) =>
      writeCursor([last.version]),
    );
    return {
      versions: rows.map((row) => WorkflowVersionSummary.of(row, workflow.version)),
      next_cursor: nextCursor,
    };
  }

  async get(
    organizationId: string,
    workflowId: string,
    version: number,
  ): Promise<WorkflowVersionView> {
    const found = await this.find(organizationId, workflowId, version);
    return WorkflowVersionView.withContent(found.version, found.content, found.newest);
  }

  async diff(
    organizationId: string,
    workflowId: string,
    from: number,
    to: number,
  ): Promise<WorkflowVersionsDiff> {
    const before = await this.find(organizationId, workflowId, from);
    const after = await this.find(organizationId, workflowId, to);
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
   * Saves an old version as a new version, and checks it against the current tools. A version of an old release
   * contains only steps, so only the steps are restored. Secrets are not part of versions: the webhook keeps its
   * secret, or gets a generated secret if it needs one and has none.
   */
  async restore(
    { organizationId, surface, actor, restriction }: ToolCall,
    workflowId: string,
    version: number,
    expectedVersion: number | undefined,
  ): Promise<SavedWorkflow> {
    const { content, version: old } = await this.find(organizationId, workflowId, version);
    return await this.editor.update(
      organizationId,
      workflowId,
      { ...(content && toWorkflowUpdate(content)), on_failure: [], ...stepsView(old.steps) },
      { surface, actor, restriction, restoredFrom: version },
      expectedVersion,
    );
  }

  /** Returns a version of a workflow. Throws `not_found` when the workflow or the version does not exist. */
  private async find(
    organizationId: string,
    workflowId: string,
    number: number,
  ): Promise<FoundVersion> {
    const workflow = await this.workflows.get(organizationId, workflowId);
    const version = await this.versions.find(organizationId, workflowId, number);
    if (!version) {
      throw new AppError('not_found', `The workflow has versions 1 to ${workflow.version}.`);
    }
    // Old releases stored only the steps of a version. The name and the trigger of the newest version are in the row of
    // the workflow.
    const content = number === workflow.version ? toVersionContent(workflow) : version.content;
    return { version, content, newest: workflow.version };
  }
}

function readVersionCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [version, ...more] = readCursor(cursor);
  if (Number.isSafeInteger(version) && more.length === 0) return version as number;
  throw AppError.invalid('cursor is not valid. Use next_cursor of the previous page.', [
    { path: 'cursor', message: 'must be next_cursor of the previous page' },
  ]);
}

import { Injectable } from '@nestjs/common';
import type { Actor } from '../../accounts/account.js';
import type { Expressions } from '../../liquid/read-expressions.js';
import { fingerprint } from '../../text/canonical-json.js';
import type { Step } from '../definitions/definition.js';
import { ToolCompatibilityService } from './tool-compatibility.service.js';
import { toVersionContent } from './version-content.js';
import type { WorkflowVersion } from './workflow-version.entity.js';
import type { Workflow } from './workflow.entity.js';
import { WorkflowVersionsRepository } from './workflow-versions.repository.js';

/** The person or API key that saves a workflow, and the version that is restored, if any. */
export interface VersionAuthor {
  actor: Actor;
  restoredFrom?: number;
}

/** Steps that were checked, and the expressions that the check has read. So no expression is parsed twice. */
export interface CheckedSteps {
  readonly steps: readonly Step[];
  readonly expressions: Expressions;
}

/** Steps, and the schemas of their tools at the last check. */
type Pinned = Pick<WorkflowVersion, 'steps' | 'toolSchemas' | 'fittingSchemas' | 'looseReferences'>;

/** Creates the versions of workflows, in the transaction that saves the workflow. */
@Injectable()
export class VersionHistoryService {
  constructor(
    private readonly versions: WorkflowVersionsRepository,
    private readonly tools: ToolCompatibilityService,
  ) {}

  async createFirst(
    organizationId: string,
    workflow: Workflow,
    checked: CheckedSteps,
    author: VersionAuthor,
  ): Promise<void> {
    await this.insert(organizationId, workflow, this.pinSchemas(checked), 1, author);
  }

  /**
   * Creates a new version unless nothing has changed, and returns the number of the current version. The workflow must
   * be locked. When `checked` is absent, the steps stay unchanged and are not checked again.
   */
  async createNext(
    organizationId: string,
    before: Workflow,
    after: { workflow: Workflow; checked?: CheckedSteps },
    author: VersionAuthor,
  ): Promise<number> {
    const { id, version } = before;
    const [old, now] = [toVersionContent(before), toVersionContent(after.workflow)];
    const current = await this.versions.get(organizationId, id, version);
    const steps = after.checked?.steps ?? current.steps;
    const isSame = fingerprint([old, current.steps]).equals(fingerprint([now, steps]));
    if (isSame) return version;
    await this.versions.addContent(organizationId, id, version, old);
    // Unchecked steps keep the schemas of their last check.
    const pinned = after.checked ? this.pinSchemas(after.checked) : copyPinned(current);
    await this.insert(organizationId, after.workflow, pinned, version + 1, author);
    return version + 1;
  }

  private pinSchemas({ steps, expressions }: CheckedSteps): Pinned {
    const { current } = this.tools;
    return {
      steps: [...steps],
      toolSchemas: current.schemasOf(steps),
      fittingSchemas: null,
      looseReferences: current.looseReferences(steps, expressions),
    };
  }

  private async insert(
    organizationId: string,
    workflow: Workflow,
    pinned: Pinned,
    version: number,
    { actor, restoredFrom }: VersionAuthor,
  ): Promise<void> {
    await this.versions.insert(organizationId, {
      workflowId: workflow.id,
      version,
      ...pinned,
      content: toVersionContent(workflow),
      triggerContact: workflow.triggerOptions.contact ?? null,
      actorKind: actor.kind,
      actorId: actor.id,
      restoredFrom: restoredFrom ?? null,
    });
  }
}

function copyPinned(version: WorkflowVersion): Pinned {
  const { steps, toolSchemas, fittingSchemas, looseReferences } = version;
  return { steps, toolSchemas, fittingSchemas, looseReferences };
}

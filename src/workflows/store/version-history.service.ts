import { Injectable } from '@nestjs/common';
import type { Actor } from '../../accounts/account.js';
import { fingerprint } from '../../text/canonical-json.js';
import type { Step } from '../definitions/definition.js';
import { ToolCompatibilityService } from './tool-compatibility.service.js';
import { contentOf } from './version-content.js';
import type { WorkflowVersion } from './workflow-version.entity.js';
import type { Workflow } from './workflow.entity.js';
import { WorkflowVersionsRepository } from './workflow-versions.repository.js';

/** A workflow and its steps at one time. */
export interface Edition {
  workflow: Workflow;
  steps: readonly Step[];
}

/** Who saves a workflow, and which version is brought back by that, if one is. */
export interface Saving {
  actor: Actor;
  restoredFrom?: number;
}

/** Steps, and the tools that they were checked against. */
type Pinned = Pick<WorkflowVersion, 'steps' | 'toolSchemas' | 'fittingSchemas' | 'looseReferences'>;

/** Writes down what is saved of workflows; called in the transaction that saves it. */
@Injectable()
export class VersionHistoryService {
  constructor(
    private readonly versions: WorkflowVersionsRepository,
    private readonly tools: ToolCompatibilityService,
  ) {}

  /** The first version of a workflow. */
  async begin(organizationId: string, { workflow, steps }: Edition, saving: Saving): Promise<void> {
    await this.write(organizationId, workflow, this.pinned(steps), 1, saving);
  }

  /**
   * The number of the version that the workflow has with the changes: a new one, unless they change nothing. The
   * workflow must be locked. `steps` is absent where they stay, and are not checked anew.
   */
  async advance(
    organizationId: string,
    before: Workflow,
    after: { workflow: Workflow; steps?: readonly Step[] },
    saving: Saving,
  ): Promise<number> {
    const { id, version } = before;
    const [old, now] = [contentOf(before), contentOf(after.workflow)];
    const current = await this.versions.get(organizationId, id, version);
    const steps = after.steps ?? current.steps;
    const isSame = fingerprint([old, current.steps]).equals(fingerprint([now, steps]));
    if (isSame) return version;
    await this.versions.addContent(organizationId, id, version, old);
    // Steps that nobody has checked still fit what they fitted before, and perhaps nothing else.
    const pinned = after.steps ? this.pinned(after.steps) : pinnedBy(current);
    await this.write(organizationId, after.workflow, pinned, version + 1, saving);
    return version + 1;
  }

  private pinned(steps: readonly Step[]): Pinned {
    const { current } = this.tools;
    return {
      steps: [...steps],
      toolSchemas: current.schemasOf(steps),
      fittingSchemas: null,
      looseReferences: current.looseReferences(steps),
    };
  }

  private async write(
    organizationId: string,
    workflow: Workflow,
    pinned: Pinned,
    version: number,
    { actor, restoredFrom }: Saving,
  ): Promise<void> {
    await this.versions.insert(organizationId, {
      workflowId: workflow.id,
      version,
      ...pinned,
      content: contentOf(workflow),
      triggerContact: workflow.triggerOptions.contact ?? null,
      actorKind: actor.kind,
      actorId: actor.id,
      restoredFrom: restoredFrom ?? null,
    });
  }
}

function pinnedBy(version: WorkflowVersion): Pinned {
  const { steps, toolSchemas, fittingSchemas, looseReferences } = version;
  return { steps, toolSchemas, fittingSchemas, looseReferences };
}

import { Injectable } from '@nestjs/common';
import type { Actor } from '../accounts/actor.js';
import { fingerprint } from '../tools/canonical-json.js';
import type { Step } from './definition.js';
import { contentOf } from './version-content.js';
import type { Workflow } from './workflow.entity.js';
import { WorkflowVersionsRepository } from './workflow-versions.repository.js';
import { WorkflowsRepository } from './workflows.repository.js';

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

/** Writes down what is saved of workflows; called in the transaction that saves it. */
@Injectable()
export class VersionHistory {
  constructor(
    private readonly versions: WorkflowVersionsRepository,
    private readonly workflows: WorkflowsRepository,
  ) {}

  /** The first version of a workflow. */
  async begin(organizationId: string, edition: Edition, saving: Saving): Promise<void> {
    await this.write(organizationId, edition, 1, saving);
  }

  /**
   * The number of the version that the workflow has with the changes: a new one, unless they change nothing. The
   * workflow must be locked. `steps` is absent where they stay.
   */
  async advance(
    organizationId: string,
    before: Workflow,
    after: { workflow: Workflow; steps?: readonly Step[] },
    saving: Saving,
  ): Promise<number> {
    const { id, version } = before;
    const [old, now] = [contentOf(before), contentOf(after.workflow)];
    const current = await this.workflows.getSteps(organizationId, id, version);
    const steps = after.steps ?? current;
    const isSame = fingerprint([old, current]).equals(fingerprint([now, steps]));
    if (isSame) return version;
    await this.versions.complete(organizationId, id, version, old);
    await this.write(organizationId, { workflow: after.workflow, steps }, version + 1, saving);
    return version + 1;
  }

  private async write(
    organizationId: string,
    { workflow, steps }: Edition,
    version: number,
    { actor, restoredFrom }: Saving,
  ): Promise<void> {
    await this.versions.insert(organizationId, {
      workflowId: workflow.id,
      version,
      steps: [...steps],
      content: contentOf(workflow),
      triggerContact: workflow.triggerOptions.contact ?? null,
      actorKind: actor.kind,
      actorId: actor.id,
      restoredFrom: restoredFrom ?? null,
    });
  }
}

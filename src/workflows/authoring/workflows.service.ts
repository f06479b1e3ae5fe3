import { Injectable } from '@nestjs/common';
import { Env } from '../../config/env.js';
import { AppError } from '../../errors/app-error.js';
import type { EventName } from '../../events/domain-events.js';
import { pageOf, readTimeCursor, timeCursor } from '../../paging/paging.js';
import { fingerprint } from '../../text/canonical-json.js';
import { randomBase62 } from '../../text/ids.js';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import { splitSteps } from '../definitions/steps/failure-step.js';
import type { Trigger } from '../definitions/trigger.js';
import { webhookNeeds } from '../definitions/webhook-needs.js';
import { hasSameOptions } from '../definitions/webhook-options.js';
import { OfferedWorkflowsService } from '../offers/offered-workflows.service.js';
import { type VersionAuthor, VersionHistoryService } from '../store/version-history.service.js';
import type { Workflow } from '../store/workflow.entity.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { SchedulesService } from '../triggers/schedules.service.js';
import { WebhookSecretsService } from '../webhooks/webhook-secrets.service.js';
import { DefinitionChecksService } from './definition-checks.service.js';
import { type WorkflowPage, type WorkflowView, workflowView } from './workflow.results.js';

const ID_LENGTH = 32;
const MAX_TRIGGERED_BY_EVENT = 50;
const SHOWN_TIMES = 5;
/** The largest size of the definitions in one page. With larger definitions, a page has fewer workflows. */
const MAX_PAGE_BYTES = 192 * 1024;

export interface WorkflowInput {
  name?: string;
  trigger?: object;
  steps?: object[];
  on_failure?: object[];
}

/** The caller that saves a workflow, with its surface and the restriction of its API key. */
export type SavedBy = Pick<ToolCall, 'surface' | 'restriction'> & VersionAuthor;

/** A saved workflow, and its webhook secret when the secret is new. The secret cannot be read later. */
export interface SavedWorkflow {
  workflow: WorkflowView;
  secret: string | null;
  /** The members that the trigger had before and does not have now. Absent when no member was removed. */
  removed?: string[];
}

/** Creates, changes and reads workflows. Every method needs a transaction of the organization. */
@Injectable()
export class WorkflowsService {
  constructor(
    private readonly env: Env,
    private readonly workflows: WorkflowsRepository,
    private readonly history: VersionHistoryService,
    private readonly schedules: SchedulesService,
    private readonly webhookSecrets: WebhookSecretsService,
    private readonly offered: OfferedWorkflowsService,
    private readonly definitions: DefinitionChecksService,
  ) {}

  /** Creates a workflow. Throws `invalid_arguments` with the path of each fault of the definition. */
  async create(
    organizationId: string,
    input: Required<Omit<WorkflowInput, 'on_failure'>> & WorkflowInput & { active: boolean },
    by: SavedBy,
  ): Promise<SavedWorkflow> {
    const { trigger, steps, expressions } = await this.definitions.check(organizationId, input, by);
    const id = randomBase62(ID_LENGTH);
    const { stored, secret } = this.webhookSecrets.change(id, trigger);
    await this.workflows.insert(organizationId, id, {
      name: input.name,
      active: input.active,
      version: 1,
      ...triggerContent(trigger!),
      ...stored,
      webhookOptions: {
        ...stored.webhookOptions,
        needs: webhookNeeds(trigger!.options, steps!),
      },
    });
    const workflow = await this.workflows.get(organizationId, id);
    const checked = { steps: steps!, expressions };
    await this.history.createFirst(organizationId, workflow, checked, by);
    if (trigger!.type === 'schedule') await this.schedules.plan(organizationId, id);
    if (input.active) await this.assertRoom(organizationId, trigger!.options.event);
    return { workflow: await this.get(organizationId, id), secret };
  }

  /**
   * Changes the given members. A difference creates a new version. Existing runs keep their version. `secret: true`
   * keeps the current secret, so that a caller can send the output of `get_workflow` back. With an overlap, a new
   * secret is generated. Throws `conflict` when the newest version is not `expectedVersion`.
   */
  async update(
    organizationId: string,
    id: string,
    input: WorkflowInput,
    by: SavedBy,
    expectedVersion?: number,
  ): Promise<SavedWorkflow> {
    const before = await this.workflows.getForUpdate(organizationId, id);
    assertVersion(before, expectedVersion);
    const whole = await this.withBothLists(before, input);
    const { trigger, steps, expressions } = await this.definitions.check(organizationId, whole, by);
    const { stored, secret } = this.webhookSecrets.change(id, trigger, before);
    const saved = steps ?? (await this.workflows.getSteps(organizationId, id, before.version));
    if (trigger && !steps && startsOtherwise(before, trigger, stored)) {
      await this.definitions.assertMayRun(organizationId, saved, by);
    }
    if (steps && !trigger) {
      const { triggerOptions } = before;
      await this.definitions.assertMayRead(
        organizationId,
        { trigger: triggerOptions },
        'steps',
        by,
      );
    }
    const needs = webhookNeeds(trigger?.options ?? before.triggerOptions, saved);
    const changes = {
      ...(input.name !== undefined && { name: input.name }),
      ...(trigger && triggerContent(trigger)),
      ...stored,
      webhookOptions: { ...(stored.webhookOptions ?? before.webhookOptions), needs },
    };
    const workflow: Workflow = { ...before, ...changes };
    const after = { workflow, ...(steps && { checked: { steps, expressions } }) };
    const version = await this.history.createNext(organizationId, before, after, by);
    await this.workflows.update(organizationId, id, { ...changes, version });
    // With the same trigger, the workflow keeps its next tick.
    if (trigger && !isSameTrigger(trigger, before)) {
      await this.schedules.plan(organizationId, id);
      if (before.active) await this.assertRoom(organizationId, trigger.options.event);
    }
    const removed = trigger ? removedMembers(before, trigger) : [];
    const shown = { workflow: await this.get(organizationId, id), secret };
    return removed.length > 0 ? { ...shown, removed } : shown;
  }

  /**
   * Replaces the secret of a webhook. Changes and checks nothing else. Creates a version only when the webhook had no
   * secret. Throws `conflict` for a workflow with another type of trigger.
   */
  async rotateSecret(
    organizationId: string,
    id: string,
    { secret: given, overlapSeconds }: { secret?: string; overlapSeconds: number },
    by: SavedBy,
  ): Promise<SavedWorkflow> {
    const before = await this.workflows.getForUpdate(organizationId, id);
    if (before.triggerType !== 'webhook') {
      throw new AppError('conflict', 'The workflow has no webhook.');
    }
    const trigger: Trigger = {
      type: 'webhook',
      secret: given ?? true,
      overlapSeconds,
      options: before.triggerOptions,
    };
    const { stored, secret } = this.webhookSecrets.change(id, trigger, before, 'secret');
    const steps = await this.workflows.getSteps(organizationId, id, before.version);
    await this.definitions.assertMayRun(organizationId, steps, by);
    const workflow: Workflow = { ...before, ...stored };
    const version = await this.history.createNext(organizationId, before, { workflow }, by);
    await this.workflows.update(organizationId, id, { ...stored, version });
    return { workflow: await this.get(organizationId, id), secret };
  }

  async setActive(organizationId: string, id: string, active: boolean): Promise<WorkflowView> {
    const workflow = await this.workflows.getForUpdate(organizationId, id);
    await this.workflows.update(organizationId, id, { active });
    // Without a change, the workflow keeps its next tick.
    if (active !== workflow.active) {
      await this.schedules.plan(organizationId, id);
      await this.offered.publishActivation(organizationId, id);
    }
    if (active && !workflow.active) await this.assertRoom(organizationId, workflow.triggerEvent);
    return await this.get(organizationId, id);
  }

  /** Deletes a workflow. Its runs stay readable, and runs that have begun continue to their end. */
  async delete(organizationId: string, id: string): Promise<void> {
    // Lock the workflow first. Then a delivery that is being logged is written either before this deletion, or never.
    await this.workflows.getForUpdate(organizationId, id);
    const withoutSecrets = await this.webhookSecrets.remove(organizationId, id);
    await this.workflows.update(organizationId, id, {
      ...withoutSecrets,
      active: false,
      deletedAt: () => 'now()',
    });
    await this.schedules.plan(organizationId, id);
    await this.offered.delete(organizationId, id);
  }

  /** Returns a workflow. Throws `not_found` when the organization has no such workflow. */
  async get(organizationId: string, id: string): Promise<WorkflowView> {
    const workflow = await this.workflows.get(organizationId, id);
    const steps = await this.workflows.getSteps(organizationId, id, workflow.version);
    const times = await this.schedules.nextTimes(workflow, SHOWN_TIMES);
    const view = workflowView(workflow, steps, this.env.baseUrl);
    return { ...view, ...(times && { next_times: times.map((time) => time.toISOString()) }) };
  }

  async list(
    organizationId: string,
    { active, limit, cursor }: { active?: boolean; limit: number; cursor?: string },
  ): Promise<WorkflowPage> {
    const found = await this.workflows.list(organizationId, {
      active,
      after: readTimeCursor(cursor),
      limit: limit + 1,
    });
    const ids = found.slice(0, limit).map(({ id }) => id);
    const steps = await this.workflows.getNewestSteps(organizationId, ids, MAX_PAGE_BYTES);
    const { page, nextCursor } = pageOf(found, Math.min(limit, steps.size), timeCursor);
    return {
      workflows: page.map((workflow) =>
        workflowView(workflow, steps.get(workflow.id) ?? [], this.env.baseUrl),
      ),
      next_cursor: nextCursor,
    };
  }

  /**
   * Adds the saved `steps` when only `on_failure` is given, or the saved `on_failure` when only `steps` is given. Both
   * are checked together.
   */
  private async withBothLists(
    { organizationId, id, version }: Workflow,
    input: WorkflowInput,
  ): Promise<WorkflowInput> {
    const { steps, on_failure: onFailure } = input;
    if ((steps === undefined) === (onFailure === undefined)) return input;
    const saved = splitSteps(await this.workflows.getSteps(organizationId, id, version));
    return {
      ...input,
      steps: steps ?? [...saved.steps],
      on_failure: onFailure ?? [...saved.onFailure],
    };
  }

  /**
   * Throws `conflict` when too many active workflows wait for an event, because one transaction stores the event and a
   * run of each workflow.
   */
  private async assertRoom(
    organizationId: string,
    event: EventName | null | undefined,
  ): Promise<void> {
    if (
      !event ||
      (await this.workflows.countTriggeredBy(organizationId, event)) <= MAX_TRIGGERED_BY_EVENT
    )
      return;
    const message = `At most ${MAX_TRIGGERED_BY_EVENT} active workflows may wait for ${event}. Deactivate another one first.`;
    throw new AppError('conflict', message);
  }
}

function removedMembers(before: Workflow, { options }: Trigger): string[] {
  return Object.keys(before.triggerOptions).filter((member) => !Object.hasOwn(options, member));
}

function assertVersion(workflow: Workflow, expected: number | undefined): void {
  if (expected === undefined || expected === workflow.version) return;
  throw new AppError(
    'conflict',
    `The workflow was changed: it has version ${workflow.version} now. Read it again.`,
    { members: { current_version: workflow.version } },
  );
}

function isSameTrigger(trigger: Trigger, workflow: Workflow): boolean {
  const { type, options } = trigger;
  return (
    type === workflow.triggerType &&
    fingerprint(options).equals(fingerprint(workflow.triggerOptions))
  );
}

/**
 * Returns true if the trigger, the secret or an option of the webhook changes. Such a change can have three effects:
 * other requests or times start the workflow, its steps see more of a request, or the sender sees more of the run.
 */
function startsOtherwise(
  before: Workflow,
  trigger: Trigger,
  { secret, webhookOptions }: Partial<Workflow>,
): boolean {
  return (
    !isSameTrigger(trigger, before) ||
    (secret !== undefined && secret !== before.secret) ||
    (webhookOptions !== undefined && !hasSameOptions(webhookOptions, before.webhookOptions))
  );
}

function triggerContent({
  type,
  options,
}: Trigger): Pick<Workflow, 'triggerType' | 'triggerOptions' | 'triggerEvent'> {
  return { triggerType: type, triggerOptions: options, triggerEvent: options.event ?? null };
}

import { Injectable } from '@nestjs/common';
import { Env } from '../../config/env.js';
import { AppError, type Fault } from '../../errors/app-error.js';
import type { EventName } from '../../events/domain-events.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { pageOf, readTimeCursor, timeCursor } from '../../paging/paging.js';
import { ToolPoliciesService } from '../../policies/tool-policies.service.js';
import { fingerprint } from '../../text/canonical-json.js';
import { randomBase62 } from '../../text/ids.js';
import type { Surface, ToolCall } from '../../tools/contract/tool-call.js';
import { ToolRegistry } from '../../tools/registry/tool-registry.js';
import { checkContactMapping } from '../definitions/contact-mapping.js';
import { DefinitionChecker } from '../definitions/definition-checker.js';
import type { Step } from '../definitions/definition.js';
import { workflowsNamedIn } from '../definitions/steps/run-workflow-step.js';
import type { StepTools } from '../definitions/steps/step-checks.js';
import { type Trigger, parseTrigger } from '../definitions/trigger.js';
import { OfferedWorkflowsService } from '../offers/workflow-offers.service.js';
import { type Saving, VersionHistory } from '../store/version-history.service.js';
import type { Workflow } from '../store/workflow.entity.js';
import { type WorkflowContent, WorkflowsRepository } from '../store/workflows.repository.js';
import { SchedulesService } from '../triggers/schedules.service.js';
import { WebhookDeliveriesRepository } from '../webhooks/webhook-deliveries.repository.js';
import {
  type WebhookDeliveriesResult,
  deliveryView,
} from '../webhooks/webhook-delivery.results.js';
import { WebhookSecrets } from '../webhooks/webhook-secrets.service.js';
import { type WorkflowView, workflowView } from './workflow.results.js';

const ID_LENGTH = 32;
const MOST_FAULTS = 20;
const MOST_OF_EVENT = 50;

export interface WorkflowInput {
  name?: string;
  trigger?: object;
  steps?: object[];
}

/** Who saves a workflow, from where, and how. */
export type SavedBy = Pick<ToolCall, 'surface'> & Saving;

/** A changed workflow, and its secret if one was made or given: the only time that it can be seen. */
export interface SavedWorkflow {
  workflow: WorkflowView;
  secret: string | null;
}

/** The workflows of organizations. Every method runs in a transaction of the organization that its caller has opened. */
@Injectable()
export class WorkflowsService {
  constructor(
    private readonly env: Env,
    private readonly workflows: WorkflowsRepository,
    private readonly history: VersionHistory,
    private readonly schedules: SchedulesService,
    private readonly registry: ToolRegistry,
    private readonly liquid: LiquidSandbox,
    private readonly webhookSecrets: WebhookSecrets,
    private readonly webhookDeliveries: WebhookDeliveriesRepository,
    private readonly policies: ToolPoliciesService,
    private readonly offers: OfferedWorkflowsService,
  ) {}

  /** Throws `invalid_arguments` with every fault of the definition and its path. */
  async create(
    organizationId: string,
    input: Required<WorkflowInput> & { active: boolean },
    by: SavedBy,
  ): Promise<SavedWorkflow> {
    const { trigger, steps } = await this.check(organizationId, input, by.surface);
    const id = randomBase62(ID_LENGTH);
    const { stored, secret } = this.webhookSecrets.change(id, trigger);
    await this.workflows.insert(organizationId, id, {
      name: input.name,
      active: input.active,
      version: 1,
      ...triggerContent(trigger!),
      ...stored,
    });
    const workflow = await this.require(organizationId, id);
    await this.history.begin(organizationId, { workflow, steps: steps! }, by);
    if (trigger!.type === 'schedule') await this.schedules.plan(organizationId, id);
    if (input.active) await this.assertRoom(organizationId, trigger!.options.event);
    return { workflow: await this.get(organizationId, id), secret };
  }

  /**
   * Changes what is given. What differs from before is a new version; runs that have begun keep to theirs. `secret: true`
   * keeps a secret that is there, so that what `get_workflow` shows can be sent back; with an overlap it makes a new one.
   * Throws `conflict` when the newest version is not the one that the changes were made to.
   */
  async update(
    organizationId: string,
    id: string,
    input: WorkflowInput,
    by: SavedBy,
    expectedVersion?: number,
  ): Promise<SavedWorkflow> {
    const before = await this.workflows.findForUpdate(organizationId, id);
    if (!before) throw AppError.notFound('workflow');
    assertVersion(before, expectedVersion);
    const { trigger, steps } = await this.check(organizationId, input, by.surface);
    const { stored, secret } = this.webhookSecrets.change(id, trigger, before);
    const changes = {
      ...(input.name !== undefined && { name: input.name }),
      ...(trigger && triggerContent(trigger)),
      ...stored,
    };
    const workflow: Workflow = { ...before, ...changes };
    const version = await this.history.advance(organizationId, before, { workflow, steps }, by);
    await this.workflows.update(organizationId, id, { ...changes, version });
    // One whose trigger is as before keeps the tick that it waits for.
    if (trigger && !isSameTrigger(trigger, before)) {
      await this.schedules.plan(organizationId, id);
      if (before.active) await this.assertRoom(organizationId, trigger.options.event);
    }
    return { workflow: await this.get(organizationId, id), secret };
  }

  async setActive(organizationId: string, id: string, active: boolean): Promise<WorkflowView> {
    const workflow = await this.workflows.findForUpdate(organizationId, id);
    if (!workflow) throw AppError.notFound('workflow');
    await this.workflows.update(organizationId, id, { active });
    // One that is active already keeps the tick that it waits for.
    if (active !== workflow.active) {
      await this.schedules.plan(organizationId, id);
      await this.offers.announce(organizationId, id);
    }
    if (active && !workflow.active) await this.assertRoom(organizationId, workflow.triggerEvent);
    return await this.get(organizationId, id);
  }

  /** Its runs stay readable, and those that have begun go on to their end. */
  async delete(organizationId: string, id: string): Promise<void> {
    await this.require(organizationId, id);
    await this.workflows.update(organizationId, id, {
      active: false,
      secret: null,
      previousSecret: null,
      previousSecretUntil: null,
      deletedAt: () => 'now()',
    });
    await this.schedules.plan(organizationId, id);
    await this.webhookDeliveries.deleteOf(organizationId, id);
    await this.offers.forget(organizationId, id);
  }

  /** Throws `not_found` when the organization has no such workflow. */
  async get(organizationId: string, id: string): Promise<WorkflowView> {
    const workflow = await this.require(organizationId, id);
    const steps = await this.workflows.getSteps(organizationId, id, workflow.version);
    return workflowView(workflow, steps, this.env.baseUrl);
  }

  /** Ids of webhook workflows whose id or name begins with the text, the newest first, at most `limit`. */
  webhooksStartingWith(organizationId: string, text: string, limit: number): Promise<string[]> {
    return this.workflows.webhooksStartingWith(organizationId, text, limit);
  }

  /** What came to its webhook of late, the newest first. */
  async deliveries(
    organizationId: string,
    id: string,
    limit: number,
  ): Promise<WebhookDeliveriesResult> {
    const { triggerType, previousSecretUntil } = await this.require(organizationId, id);
    const deliveries = await this.webhookDeliveries.list(organizationId, id, limit);
    const isOverlapping = previousSecretUntil !== null && previousSecretUntil > new Date();
    const url = `${this.env.baseUrl}/api/webhooks/workflow/${id}/test`;
    return {
      test_url: triggerType === 'webhook' ? url : null,
      previous_secret_until: isOverlapping ? previousSecretUntil.toISOString() : null,
      deliveries: deliveries.map(deliveryView),
    };
  }

  /** One page of workflows, the newest first. */
  async list(
    organizationId: string,
    filter: { active?: boolean },
    page: { limit: number; cursor?: string },
  ): Promise<{ workflows: WorkflowView[]; nextCursor: string | null }> {
    const found = await this.workflows.list(organizationId, {
      ...filter,
      after: readTimeCursor(page.cursor),
      limit: page.limit + 1,
    });
    const { page: workflows, nextCursor } = pageOf(found, page.limit, timeCursor);
    const steps = await this.workflows.newestSteps(
      organizationId,
      workflows.map((workflow) => workflow.id),
    );
    return {
      workflows: workflows.map((workflow) =>
        workflowView(workflow, steps.get(workflow.id) ?? [], this.env.baseUrl),
      ),
      nextCursor,
    };
  }

  private async check(
    organizationId: string,
    input: WorkflowInput,
    surface: Surface,
  ): Promise<{ trigger?: Trigger; steps?: Step[] }> {
    const faults: Fault[] = [];
    const policies = await this.policies.get(organizationId);
    // Which tools there are depends on the organization, so the checker is made per call; it is cheap.
    const tools: StepTools = {
      find: (name) => this.registry.find(name, 'workflow', policies)?.descriptor,
      names: () => this.registry.list('workflow', policies).map((tool) => tool.name),
      // Otherwise an agent could have a run do what it is itself asked about.
      needsPerson: (name) =>
        surface !== 'dashboard' &&
        policies.confirmation(...this.registry.find(name, 'workflow', policies)!.names) ===
          'always',
      workflows: await this.workflows.existing(organizationId, workflowsNamedIn(input.steps)),
    };
    const checker = new DefinitionChecker(tools, this.liquid);
    const trigger = input.trigger && parseTrigger(input.trigger, faults);
    if (trigger?.options.if !== undefined) checker.checkTrigger(trigger.options.if, faults);
    if (trigger?.options.contact) checkContactMapping(trigger.options.contact, checker, faults);
    if (trigger?.options.limits) checker.checkLimits(trigger.options.limits, faults);
    const steps = input.steps && checker.check(input.steps, faults);
    if (faults.length > 0) {
      const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
      throw AppError.invalid(
        `${faults[0]!.path} ${faults[0]!.message}${more}`,
        faults.slice(0, MOST_FAULTS),
      );
    }
    return { trigger, steps };
  }

  /** Every change of a contact writes the runs of all that wait for it, so there is a bound to them. */
  private async assertRoom(
    organizationId: string,
    event: EventName | null | undefined,
  ): Promise<void> {
    if (!event || (await this.workflows.countWaitingFor(organizationId, event)) <= MOST_OF_EVENT)
      return;
    const message = `At most ${MOST_OF_EVENT} active workflows may wait for ${event}.`;
    throw new AppError('conflict', message);
  }

  private async require(organizationId: string, id: string): Promise<Workflow> {
    const workflow = await this.workflows.find(organizationId, id);
    if (!workflow) throw AppError.notFound('workflow');
    return workflow;
  }
}

function assertVersion(workflow: Workflow, expected: number | undefined): void {
  if (expected === undefined || expected === workflow.version) return;
  throw new AppError(
    'conflict',
    `The workflow has version ${workflow.version} by now: somebody has changed it.`,
  );
}

function isSameTrigger(trigger: Trigger, workflow: Workflow): boolean {
  const { type, options } = trigger;
  return (
    type === workflow.triggerType &&
    fingerprint(options).equals(fingerprint(workflow.triggerOptions))
  );
}

function triggerContent({
  type,
  options,
}: Trigger): Pick<WorkflowContent, 'triggerType' | 'triggerOptions' | 'triggerEvent'> {
  return { triggerType: type, triggerOptions: options, triggerEvent: options.event ?? null };
}

import { Injectable } from '@nestjs/common';
import { ChangeFeed } from '../../changes/change-feed.js';
import { randomBase62 } from '../../text/ids.js';
import { AppError, type Fault } from '../../errors/app-error.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { hiddenCharacter } from '../../text/hidden-character.js';
import { invalidArguments } from '../../tools/schema/invalid-arguments.js';
import { IDEMPOTENCY_KEY } from '../../tools/registry/offered-tools.js';
import { FORMATS } from '../../tools/schema/parse-by-schema.js';
import { parseObjectSchema } from '../../tools/schema/parse-object-schema.js';
import { ToolRegistry } from '../../tools/registry/tool-registry.js';
import { everyStep } from '../definitions/definition.js';
import type { OfferWorkflowInput } from './offer.inputs.js';
import { checkResultTemplate } from './result-template.js';
import { type OfferState, type WorkflowOfferView, workflowOfferView } from './offer.results.js';
import type { WorkflowTool } from '../store/offered-workflow.entity.js';
import { WorkflowToolsRepository } from '../store/workflow-tools.repository.js';
import type { Workflow } from '../store/workflow.entity.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';

const MOST_OFFERS = 20;
const SCHEMA_LIMITS = {
  bytes: 4096,
  depth: 5,
  properties: 50,
  formats: Object.keys(FORMATS),
  reserved: [IDEMPOTENCY_KEY],
};

/** Which workflows are offered as tools. Every method runs in a transaction of the organization that its caller opened. */
@Injectable()
export class WorkflowOffers {
  constructor(
    private readonly offers: WorkflowToolsRepository,
    private readonly workflows: WorkflowsRepository,
    private readonly registry: ToolRegistry,
    private readonly liquid: LiquidSandbox,
    private readonly changes: ChangeFeed,
  ) {}

  /** Offers the workflow so, in place of how it was offered before. Throws `invalid_arguments` with every fault. */
  async set(organizationId: string, input: OfferWorkflowInput): Promise<WorkflowOfferView> {
    await this.offers.lock(organizationId);
    const workflow = await this.workflows.find(organizationId, input.workflow_id);
    if (!workflow) throw AppError.notFound('workflow');
    const all = await this.offers.list(organizationId);
    const others = all.filter(({ workflowId }) => workflowId !== workflow.id);
    const faults = this.textFaults(input, others);
    const inputSchema = parseObjectSchema(
      input.input_schema,
      'input_schema',
      SCHEMA_LIMITS,
      faults,
    );
    await this.checkResult(workflow, input.result, faults);
    if (faults.length > 0) throw invalidArguments(faults);
    if (others.length >= MOST_OFFERS) {
      throw new AppError(
        'conflict',
        `An organization offers at most ${MOST_OFFERS} workflows: withdraw another one first.`,
      );
    }
    await this.offers.save(organizationId, {
      workflowId: workflow.id,
      name: input.name,
      title: input.title,
      description: input.description,
      inputSchema,
      waitSeconds: input.wait_seconds,
      result: (input.result as Record<string, unknown> | undefined) ?? null,
      revision: randomBase62(12),
    });
    this.changes.publish(organizationId, { kind: 'tools' });
    const saved = await this.offers.find(organizationId, workflow.id);
    return this.view(saved!, workflow.active);
  }

  /** Throws `not_found` for a workflow that is not offered. */
  async withdraw(organizationId: string, workflowId: string): Promise<void> {
    if (!(await this.forget(organizationId, workflowId))) {
      throw new AppError('not_found', 'No workflow of this id is offered as a tool.');
    }
  }

  /** For a workflow that is deleted. False when it was not offered. */
  async forget(organizationId: string, workflowId: string): Promise<boolean> {
    const wasOffered = await this.offers.delete(organizationId, workflowId);
    if (wasOffered) this.changes.publish(organizationId, { kind: 'tools' });
    return wasOffered;
  }

  /** For a workflow that can be started from now on, or no longer. */
  async announce(organizationId: string, workflowId: string): Promise<void> {
    if (await this.offers.find(organizationId, workflowId)) {
      this.changes.publish(organizationId, { kind: 'tools' });
    }
  }

  /** All, by name. */
  async list(organizationId: string): Promise<WorkflowOfferView[]> {
    const active = new Set(
      (await this.offers.listActive(organizationId)).map(({ workflowId }) => workflowId),
    );
    const all = await this.offers.list(organizationId);
    return all.map((offer) => this.view(offer, active.has(offer.workflowId)));
  }

  private view(offer: WorkflowTool, isActive: boolean): WorkflowOfferView {
    return workflowOfferView(offer, this.state(offer, isActive));
  }

  private state({ name }: WorkflowTool, isActive: boolean): OfferState {
    if (this.registry.isTaken(name)) return 'name_taken';
    return isActive ? 'offered' : 'inactive';
  }

  private textFaults(
    { name, title, description }: OfferWorkflowInput,
    others: readonly WorkflowTool[],
  ): Fault[] {
    const faults: Fault[] = [];
    if (this.registry.isTaken(name)) {
      faults.push({ path: 'name', message: 'is the name of a tool of Switchboard' });
    } else if (others.some((other) => other.name === name)) {
      faults.push({ path: 'name', message: 'is the name of the tool of another workflow' });
    }
    for (const [path, text] of Object.entries({ title, description })) {
      const hidden = hiddenCharacter(text);
      if (hidden) faults.push({ path, message: `must not contain ${hidden}` });
    }
    return faults;
  }

  private async checkResult(
    { organizationId, id, version }: Workflow,
    template: object | undefined,
    faults: Fault[],
  ): Promise<void> {
    if (!template) return;
    const steps = await this.workflows.getSteps(organizationId, id, version);
    const stepIds = everyStep(steps).map((step) => step.id);
    checkResultTemplate(template, stepIds, this.liquid, faults);
  }
}

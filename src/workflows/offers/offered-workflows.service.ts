import { Injectable } from '@nestjs/common';
import { ChangeFeed } from '../../changes/change-feed.js';
import { AppError } from '../../errors/app-error.js';
import { FaultList } from '../../errors/fault-list.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import type { Expressions } from '../../liquid/read-expressions.js';
import { hiddenCharacter } from '../../text/hidden-character.js';
import { randomBase62 } from '../../text/ids.js';
import { ToolRegistry } from '../../tools/registry/tool-registry.js';
import { invalidArguments } from '../../tools/schema/parse-arguments.js';
import { isDynamic, visitTexts } from '../definitions/step-fields.js';
import { splitSteps } from '../definitions/steps/failure-step.js';
import { isSet } from '../definitions/steps/set-step.js';
import { checkAssigned, checkRoots, collectFaults } from '../definitions/steps/step-checks.js';
import { everyStep } from '../definitions/steps/step-kinds.js';
import { OfferedWorkflowsRepository } from '../store/offered-workflows.repository.js';
import type { OfferedWorkflow, Workflow } from '../store/workflow.entity.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { parseInputSchema } from './input-schema.js';
import type { OfferWorkflowInput } from './offered-workflow.inputs.js';
import { type OfferedWorkflowView, offeredWorkflowView } from './offered-workflow.results.js';

/**
 * The largest number of offered workflows. The trigger `row_limit` of the table `offered_workflows` has the same
 * number.
 */
const MAX_OFFERED = 20;

/** Offers workflows to agents as tools. Every method needs a transaction of the organization. */
@Injectable()
export class OfferedWorkflowsService {
  constructor(
    private readonly offered: OfferedWorkflowsRepository,
    private readonly workflows: WorkflowsRepository,
    private readonly registry: ToolRegistry,
    private readonly liquid: LiquidSandbox,
    private readonly changes: ChangeFeed,
  ) {}

  /** Offers a workflow, or replaces the settings of its offer. Throws `invalid_arguments` with all faults. */
  async set(organizationId: string, input: OfferWorkflowInput): Promise<OfferedWorkflowView> {
    // Reading the expressions takes several turns of the event loop. So they are read before this transaction takes the
    // lock for which other transactions wait.
    const expressions = await this.readResult(organizationId, input.result);
    await this.offered.lock(organizationId);
    const workflow = await this.workflows.get(organizationId, input.workflow_id);
    const all = await this.offered.list(organizationId);
    const others = all.filter(({ workflowId }) => workflowId !== workflow.id);
    const faults = this.textFaults(input, others);
    const inputSchema = parseInputSchema(input.input_schema, faults);
    await this.checkResult(workflow, input.result, expressions, faults);
    if (faults.length > 0) throw invalidArguments(faults);
    if (others.length >= MAX_OFFERED) {
      throw new AppError(
        'conflict',
        `An organization offers at most ${MAX_OFFERED} workflows. Withdraw another one first.`,
      );
    }
    await this.offered.save(organizationId, {
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
    const saved = await this.offered.find(organizationId, workflow.id);
    return this.view(saved!, workflow.active);
  }

  /** Stops offering a workflow. Throws `not_found` for a workflow that is not offered. */
  async withdraw(organizationId: string, workflowId: string): Promise<void> {
    if (!(await this.delete(organizationId, workflowId))) {
      throw new AppError(
        'not_found',
        'This workflow is not offered as a tool. List offered workflows with list_workflow_tools.',
      );
    }
  }

  /** Stops offering a workflow. Returns false for a workflow that is not offered. */
  async delete(organizationId: string, workflowId: string): Promise<boolean> {
    const wasOffered = await this.offered.delete(organizationId, workflowId);
    if (wasOffered) this.changes.publish(organizationId, { kind: 'tools' });
    return wasOffered;
  }

  /** Notifies subscribers of the list of tools after an offered workflow was activated or deactivated. */
  async publishActivation(organizationId: string, workflowId: string): Promise<void> {
    if (await this.offered.find(organizationId, workflowId)) {
      this.changes.publish(organizationId, { kind: 'tools' });
    }
  }

  async list(organizationId: string): Promise<OfferedWorkflowView[]> {
    const active = new Set(
      (await this.offered.listActive(organizationId)).map(({ workflowId }) => workflowId),
    );
    const all = await this.offered.list(organizationId);
    return all.map((offer) => this.view(offer, active.has(offer.workflowId)));
  }

  private view(offer: OfferedWorkflow, isActive: boolean): OfferedWorkflowView {
    if (this.registry.isTaken(offer.name)) return offeredWorkflowView(offer, 'name_taken');
    return offeredWorkflowView(offer, isActive ? 'offered' : 'inactive');
  }

  private textFaults(
    { name, title, description }: OfferWorkflowInput,
    others: readonly OfferedWorkflow[],
  ): FaultList {
    const faults = new FaultList();
    if (this.registry.isTaken(name)) {
      faults.push({ path: 'name', message: 'is the name of a built-in tool' });
    } else if (others.some((other) => other.name === name)) {
      faults.push({ path: 'name', message: 'is the tool name of another workflow' });
    }
    for (const [path, text] of Object.entries({ title, description })) {
      const hidden = hiddenCharacter(text);
      if (hidden) faults.push({ path, message: `must not contain ${hidden}` });
    }
    return faults;
  }

  /** Reads the expressions of a result. Reads none when the result is too large, because such a result is refused. */
  private async readResult(
    organizationId: string,
    template: object | undefined,
  ): Promise<Expressions> {
    const texts: string[] = [];
    if (template && !isTooLarge(template)) {
      visitTexts(template, 'result', (text) => isDynamic(text) && texts.push(text));
    }
    return texts.length > 0
      ? await this.liquid.readExpressions(organizationId, texts, [])
      : this.liquid;
  }

  private async checkResult(
    { organizationId, id, version }: Workflow,
    template: object | undefined,
    expressions: Expressions,
    faults: FaultList,
  ): Promise<void> {
    if (!template) return;
    const steps = await this.workflows.getSteps(organizationId, id, version);
    // A template has no `vars`, so it cannot read the values of `set`. A `return` step can return these values.
    const stepIds = everyStep(splitSteps(steps).steps)
      .filter((step) => !isSet(step))
      .map((step) => step.id);
    checkResultTemplate(template, stepIds, expressions, faults);
  }
}

const MAX_TEMPLATE_BYTES = 16 * 1024;
const TEMPLATE_ROOTS = ['trigger', 'run', 'workflow'];

function isTooLarge(template: object): boolean {
  return Buffer.byteLength(JSON.stringify(template)) > MAX_TEMPLATE_BYTES;
}

/** Adds a fault for each reference of the template that no run of these steps can resolve. */
function checkResultTemplate(
  template: object,
  stepIds: readonly string[],
  expressions: Expressions,
  faults: FaultList,
): void {
  if (isTooLarge(template)) {
    faults.push({ path: 'result', message: `must be at most ${MAX_TEMPLATE_BYTES} bytes of JSON` });
    return;
  }
  const known = [...TEMPLATE_ROOTS, ...stepIds];
  visitTexts(template, 'result', (text, path) => {
    if (!isDynamic(text)) return;
    collectFaults(path, faults, () => {
      const { references, assigned } = expressions.reading(text);
      checkAssigned(assigned, path, faults);
      checkRoots(references, known, `${TEMPLATE_ROOTS.join(', ')} nor a step`, path, faults);
    });
  });
}

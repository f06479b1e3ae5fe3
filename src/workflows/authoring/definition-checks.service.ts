import { Injectable } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { FaultList } from '../../errors/fault-list.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import { ToolPoliciesService } from '../../policies/tool-policies.service.js';
import { restrictionFault } from '../../policies/key-restriction.js';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import { ToolRegistry } from '../../tools/registry/tool-registry.js';
import { checkContactMapping } from '../definitions/contact-mapping.js';
import { DefinitionChecker } from '../definitions/definition-checker.js';
import type { Step } from '../definitions/definition.js';
import { workflowsNamedIn } from '../definitions/steps/run-workflow-step.js';
import type { StepTools } from '../definitions/steps/step-checks.js';
import { isDynamic, visitTexts } from '../definitions/step-fields.js';
import { parseTrigger, type Trigger } from '../definitions/trigger.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';

const STARTS_WORKFLOWS = { names: ['trigger_workflow'], readOnly: false };

/** Checks definitions against the tools and workflows of an organization. */
@Injectable()
export class DefinitionChecksService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly registry: ToolRegistry,
    private readonly liquid: LiquidSandbox,
    private readonly policies: ToolPoliciesService,
  ) {}

  /** Parses the given parts of a definition. Throws `invalid_arguments` with the path of each fault. */
  async check(
    organizationId: string,
    input: { trigger?: object; steps?: object[] },
    by: Pick<ToolCall, 'surface' | 'restriction'>,
  ): Promise<{ trigger?: Trigger; steps?: Step[] }> {
    const faults = new FaultList();
    const tools = await this.stepTools(organizationId, input.steps, by);
    const { templates, conditions } = expressionsIn(input);
    const expressions = await this.liquid.readExpressions(organizationId, templates, conditions);
    const checker = new DefinitionChecker(tools, expressions);
    const trigger = input.trigger && parseTrigger(input.trigger, faults);
    if (trigger) checker.checkTrigger(trigger.options, faults);
    if (trigger?.options.contact) checkContactMapping(trigger.options.contact, checker, faults);
    const steps = input.steps && checker.check(input.steps, faults);
    if (faults.length === 0) return { trigger, steps };
    const [first] = faults.first;
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
    throw AppError.invalid(`${first!.path} ${first!.message}${more}`, faults.first);
  }

  private async stepTools(
    organizationId: string,
    steps: object[] | undefined,
    { surface, restriction }: Pick<ToolCall, 'surface' | 'restriction'>,
  ): Promise<StepTools> {
    const policies = await this.policies.get(organizationId);
    return {
      find: (name) => this.registry.find(name, 'workflow', policies)?.descriptor,
      names: () => this.registry.list('workflow', policies).map((tool) => tool.name),
      faultsOf: (name, given) =>
        this.registry.find(name, 'workflow', policies)?.checkStep?.(given) ?? [],
      refusal: (name) => {
        const tool = this.registry.find(name, 'workflow', policies)!;
        // Without this, an agent could use a tool without the required confirmation, because in a run nobody is asked.
        if (surface !== 'dashboard' && policies.confirmation(...tool.names) === 'always') {
          return `"${name}" must be confirmed each time, so only a person may make it a step`;
        }
        // Without this, an agent could have a run call the tools that its API key may not call.
        if (restriction && restrictionFault(restriction, tool) !== undefined) {
          return `"${name}" is not a tool of this API key, so only a person may make it a step`;
        }
        return undefined;
      },
      // Without this, an agent that may not start workflows could start them by a step.
      ...(restriction &&
        restrictionFault(restriction, STARTS_WORKFLOWS) !== undefined && {
          runRefusal: 'needs an API key that may call trigger_workflow',
        }),
      workflows: await this.workflows.findExisting(organizationId, workflowsNamedIn(steps)),
    };
  }
}

/** Finds texts with expressions anywhere in a definition, whose form has not been checked. */
function expressionsIn(definition: object): { templates: string[]; conditions: string[] } {
  const templates: string[] = [];
  const conditions: string[] = [];
  visitTexts(definition, '', (text, path) => {
    if (isDynamic(text)) templates.push(text);
    if (path.endsWith('.if')) conditions.push(text);
  });
  return { templates, conditions };
}

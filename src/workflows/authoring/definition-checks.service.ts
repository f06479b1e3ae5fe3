import { Injectable } from '@nestjs/common';
import { CodeSandbox } from '../../code/code-sandbox.js';
import { AppError, type Fault } from '../../errors/app-error.js';
import { FaultList } from '../../errors/fault-list.js';
import { LiquidSandbox } from '../../liquid/liquid-sandbox.js';
import type { Expressions } from '../../liquid/read-expressions.js';
import { sameEffectOf } from '../../policies/same-effect.js';
import { ToolPolicies } from '../../policies/tool-policies.js';
import { ToolPolicySettingsService } from '../../policies/tool-policy-settings.service.js';
import {
  type KeyRestriction,
  mayActOnRuns,
  restrictionFault,
} from '../../policies/key-restriction.js';
import type { ToolCall } from '../../tools/contract/tool-call.js';
import type { RegisteredTool } from '../../tools/registry/registered-tool.js';
import { ToolRegistry } from '../../tools/registry/tool-registry.js';
import { checkContactMapping } from '../definitions/contact-mapping.js';
import { type DefinitionParts, dataReadsOf } from '../definitions/data-reads.js';
import { DefinitionChecker } from '../definitions/definition-checker.js';
import type { Step } from '../definitions/definition.js';
import { everyStep } from '../definitions/steps/step-kinds.js';
import { codesIn } from '../definitions/steps/code-step.js';
import { isRunWorkflow, workflowsNamedIn } from '../definitions/steps/run-workflow-step.js';
import type { StepTools } from '../definitions/steps/step-checks.js';
import { isTool } from '../definitions/steps/tool-step.js';
import { isDynamic, visitTexts } from '../definitions/step-fields.js';
import { parseTrigger, type Trigger } from '../definitions/trigger.js';
import { WorkflowsRepository } from '../store/workflows.repository.js';
import { DefinitionReferencesService } from './definition-references.service.js';
import { templateFaults } from './template-references.js';

const START = 'trigger_workflow';

/** Checks definitions against the tools and workflows of an organization. */
@Injectable()
export class DefinitionChecksService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly registry: ToolRegistry,
    private readonly liquid: LiquidSandbox,
    private readonly policies: ToolPolicySettingsService,
    private readonly code: CodeSandbox,
    private readonly references: DefinitionReferencesService,
  ) {}

  /**
   * Parses the given parts of a definition, and joins the lists `steps` and `on_failure`. `on_failure` is used only
   * together with `steps`. Also returns the expressions that the check has read. Throws `invalid_arguments` with the
   * path of each fault.
   */
  async check(
    organizationId: string,
    input: { trigger?: object; steps?: object[]; on_failure?: object[] },
    by: Pick<ToolCall, 'surface' | 'restriction'>,
  ): Promise<{ trigger?: Trigger; steps?: Step[]; expressions: Expressions }> {
    const faults = new FaultList();
    const given = [...(input.steps ?? []), ...(input.on_failure ?? [])];
    const tools = await this.stepTools(organizationId, given, by);
    const { templates, conditions } = expressionsIn(input);
    const expressions = await this.liquid.readExpressions(organizationId, templates, conditions);
    const codeFaults = await this.code.check(organizationId, codesIn(given));
    const checker = new DefinitionChecker({ ...tools, codeFaults }, expressions);
    const trigger = input.trigger && parseTrigger(input.trigger, faults);
    if (trigger) checker.checkTrigger(trigger.options, faults);
    const segment = trigger?.options.segment;
    if (segment !== undefined && !(await this.references.keepSegment(organizationId, segment))) {
      faults.push({ path: 'trigger.segment', message: 'must be the id of a segment' });
    }
    if (trigger?.options.contact) {
      checkContactMapping(trigger.options.contact, checker, faults);
      const { mappingRefusal } = tools;
      if (mappingRefusal) faults.push({ path: 'trigger.contact', message: mappingRefusal });
    }
    const steps = input.steps && checker.check(input.steps, faults, input.on_failure);
    const reads = { trigger: trigger?.options, steps };
    for (const fault of readFaults(reads, expressions, by.restriction)) faults.push(fault);
    if (faults.length === 0) return { trigger, steps, expressions };
    const [first] = faults.first;
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
    throw AppError.invalid(`${first!.path} ${first!.message}${more}`, faults.first);
  }

  /**
   * Throws `invalid_arguments` when the caller may not save one of these steps. A trigger decides when steps run and
   * with which payload. Without this check, an agent could save a workflow whose runs call tools or show data that this
   * agent may not use.
   */
  async assertMayRun(
    organizationId: string,
    steps: readonly Step[],
    by: Pick<ToolCall, 'surface' | 'restriction'>,
  ): Promise<void> {
    const tools = await this.stepTools(organizationId, [], by);
    for (const step of everyStep(steps)) {
      const refusal = isTool(step)
        ? tools.refusal(step.tool, step.arguments ?? {})
        : isRunWorkflow(step)
          ? tools.runRefusal
          : undefined;
      if (refusal === undefined) continue;
      throw AppError.invalidField(
        'trigger',
        `cannot be changed, because of the step "${step.id}": ${refusal}`,
      );
    }
    await this.assertMayRead(organizationId, { steps }, 'trigger', by);
  }

  /**
   * Throws `invalid_arguments` when parts of a saved definition read data that the caller may not read, or when their
   * trigger saves a contact that the caller may not save. `changed` is the part that the caller changes.
   */
  async assertMayRead(
    organizationId: string,
    parts: DefinitionParts,
    changed: 'trigger' | 'steps',
    by: Pick<ToolCall, 'surface' | 'restriction'>,
  ): Promise<void> {
    const { restriction } = by;
    if (!restriction) return;
    if (parts.trigger?.contact) {
      const refusal = (await this.stepTools(organizationId, [], by)).refusal('create_contact', {});
      const saves = `cannot be changed, because the trigger saves a contact: ${refusal}`;
      if (refusal !== undefined) throw AppError.invalidField(changed, saves);
    }
    const { templates, conditions } = expressionsIn(parts);
    const expressions = await this.liquid.readExpressions(organizationId, templates, conditions);
    const [fault] = readFaults(parts, expressions, restriction);
    if (!fault) return;
    const message = `cannot be changed: ${fault.path} ${fault.message}`;
    throw AppError.invalidField(changed, message);
  }

  private async stepTools(
    organizationId: string,
    steps: object[] | undefined,
    by: Pick<ToolCall, 'surface' | 'restriction'>,
  ): Promise<StepTools & { mappingRefusal?: string }> {
    const { surface, restriction } = by;
    const isPerson = surface === 'dashboard';
    const policies = await this.policies.get(organizationId);
    const templates = await this.references.templateVariables(organizationId, steps);
    return {
      find: (name) => this.registry.find(name, 'workflow', policies)?.descriptor,
      names: () => this.registry.list('workflow', policies).map((tool) => tool.name),
      faultsOf: (name, given) => [
        ...(this.registry.find(name, 'workflow', policies)?.checkStep?.(given) ?? []),
        ...templateFaults(name, given, templates),
      ],
      refusal: (name, given) => {
        // Find hidden tools too, because a step that is already saved may call a hidden tool. A tool that no longer
        // exists is not refused here.
        const tool = this.registry.find(name, 'workflow', ToolPolicies.NONE);
        if (!tool) return undefined;
        const policy = isPerson ? undefined : policyRefusal(policies, tool.names, given);
        if (policy !== undefined) return `"${name}" ${policy}, so only a person may save this step`;
        // Without this check, an agent could let a run call tools that its API key may not call.
        if (restriction && restrictionFault(restriction, tool) !== undefined) {
          return `"${name}" is not a tool of this API key, so only a person may make it a step`;
        }
        return undefined;
      },
      runRefusal: runRefusal(policies, by),
      codeRefusal: this.code.refusal,
      mappingRefusal: isPerson ? undefined : mappingRefusal(policies),
      secrets: await this.references.secretNames(organizationId),
      workflows: await this.workflows.findExisting(organizationId, workflowsNamedIn(steps)),
    };
  }
}

/**
 * Returns the policy that forbids an agent to save a step with this tool and these arguments, as the predicate of a
 * sentence. Returns undefined if no policy forbids it. Without this check, an agent could use a tool without the
 * required confirmation, because in a run nobody is asked.
 */
function policyRefusal(
  policies: ToolPolicies,
  names: RegisteredTool['names'],
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  const others = sameEffectOf(names[0], given);
  if (policies.confirmation(...names, ...others) === 'always') {
    return 'must be confirmed each time';
  }
  // A step that a person saved may call a hidden tool. Without this check, an agent could give its workflow a trigger
  // or a secret with which the agent starts the step.
  if (policies.hides(...names)) return 'is hidden';
  return policies.hides(...others) ? 'does the same as a hidden tool' : undefined;
}

/**
 * Returns the reason why an agent may not save a trigger with a contact mapping, or undefined if it may. A run with a
 * contact mapping saves the contact of its trigger with `set_run_contact`.
 */
function mappingRefusal(policies: ToolPolicies): string | undefined {
  const name = 'set_run_contact';
  const policy = policyRefusal(policies, [name], {});
  return (
    policy &&
    `saves a contact with ${name}, which ${policy}, so only a person may save this mapping`
  );
}

/**
 * Returns the reason why the caller may not start workflows by a step, or undefined if the caller may start them.
 * Without this check, a step could start workflows for an agent that may not start them, or that needs a confirmation
 * to start them.
 */
function runRefusal(
  policies: ToolPolicies,
  { surface, restriction }: Pick<ToolCall, 'surface' | 'restriction'>,
): string | undefined {
  if (surface === 'dashboard') return undefined;
  if (!mayActOnRuns(restriction)) {
    return `needs an API key that may call ${START}`;
  }
  const { hidden, confirmation } = policies.policy(START);
  if (!hidden && confirmation !== 'always') return undefined;
  return `starts a workflow, and agents may not call ${START} without a person, so only a person may save this step`;
}

/** Returns a fault for each place that reads data which no tool of the API key shows. */
function readFaults(
  parts: DefinitionParts,
  expressions: Expressions,
  restriction: KeyRestriction | undefined,
): Fault[] {
  if (!restriction) return [];
  return dataReadsOf(parts, expressions).flatMap(({ path, action, tools }) => {
    const missing = tools.find(
      (name) => restrictionFault(restriction, { names: [name], readOnly: false }) !== undefined,
    );
    if (missing === undefined) return [];
    return [{ path, message: `${action}, so it needs an API key that may call ${missing}` }];
  });
}

/** Finds all texts with expressions in a definition. The form of the definition has not been checked. */
function expressionsIn(definition: object): { templates: string[]; conditions: string[] } {
  const templates: string[] = [];
  const conditions: string[] = [];
  visitTexts(definition, '', (text, path) => {
    if (isDynamic(text)) templates.push(text);
    if (path.endsWith('.if')) conditions.push(text);
  });
  return { templates, conditions };
}

import { Injectable, UseGuards } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { ToolPolicySettingsService } from '../../policies/tool-policy-settings.service.js';
import { didYouMean } from '../../text/nearest-names.js';
import type { ToolCall } from '../contract/tool-call.js';
import { Tool } from '../contract/tool.decorator.js';
import { OfferedTools } from '../registry/offered-tools.js';
import type { RegisteredTool } from '../registry/registered-tool.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { OwnerGuard } from './owner.guard.js';
import { ListToolPoliciesInput, SetToolPolicyInput } from './tool-policy.inputs.js';
import { ToolPolicyList, ToolPolicyResult } from './tool-policy.results.js';

const SET = 'set_tool_policy';
const LIST = 'list_tool_policies';
/** The tools that cannot have a policy, because nobody could remove it again. */
const EXEMPT_TOOLS = new Set([SET, LIST]);

interface PolicySubject extends Pick<RegisteredTool, 'names'> {
  readonly isForAgents: boolean;
  readonly isForSteps: boolean;
}

/** Provides the tools by which owners set the policies of their organization's tools. */
@Injectable()
export class ToolPolicyTools {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly policies: ToolPolicySettingsService,
    private readonly offered: OfferedTools,
  ) {}

  @UseGuards(OwnerGuard)
  @Tool({
    name: SET,
    title: 'Set the policy of a tool',
    description:
      'Hides a tool from everybody in the organization, or says when calls of agents must be confirmed. ' +
      'Absent settings stay unchanged. Applies from the next request on. New workflows cannot use a hidden ' +
      'tool; existing workflows continue.',
    output: ToolPolicyResult,
    idempotent: true,
    surfaces: ['dashboard'],
  })
  async set(
    { tool: name, hidden, confirmation }: SetToolPolicyInput,
    { organizationId }: ToolCall,
  ): Promise<ToolPolicyResult> {
    const tool = await this.get(organizationId, name);
    if (hidden === undefined && confirmation === undefined) {
      throw invalid('', 'needs hidden, confirmation or both');
    }
    if (EXEMPT_TOOLS.has(tool.names[0])) {
      throw invalid('tool', 'cannot have a policy');
    }
    if (confirmation === 'when_possible' && !tool.isForAgents) {
      throw invalid('confirmation', 'must be never or always for a tool that agents cannot call');
    }
    // Policies apply to tools for steps too, because agents can save workflows with such steps.
    if (confirmation === 'always' && !tool.isForAgents && !tool.isForSteps) {
      throw invalid('confirmation', 'applies only to tools that agents or steps can call');
    }
    const policy = await this.policies.change(organizationId, tool.names, {
      hidden,
      confirmation,
    });
    return { policy: { tool: tool.names[0], ...policy } };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: LIST,
    title: 'List the policies of tools',
    description: 'Returns the tools that are hidden or need confirmation, sorted by name.',
    output: ToolPolicyList,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async list(_input: ListToolPoliciesInput, { organizationId }: ToolCall): Promise<ToolPolicyList> {
    const policies = await this.policies.get(organizationId);
    const registered = this.registry.all().map(({ names }) => names);
    // The names include offered tools, even deleted ones, because a policy belongs to a name.
    const others = policies
      .names()
      .filter((name) => !this.registry.isTaken(name))
      .map((name) => [name] as const);
    return {
      policies: [...registered, ...others]
        .map((names) => ({ tool: names[0], ...policies.policy(...names) }))
        .filter(({ hidden, confirmation }) => hidden || confirmation !== 'never'),
    };
  }

  private async get(organizationId: string, name: string): Promise<PolicySubject> {
    const tools = this.registry.all();
    const tool = tools.find(({ names }) => names.includes(name));
    if (tool) {
      const { names, surfaces } = tool;
      return { names, isForAgents: surfaces.has('agent'), isForSteps: surfaces.has('workflow') };
    }
    const offered = await this.offered.names(organizationId);
    const decided = (await this.policies.get(organizationId)).names();
    if (offered.includes(name) || decided.includes(name))
      return { names: [name], isForAgents: true, isForSteps: false };
    const known = [...tools.map(({ descriptor }) => descriptor.name), ...offered];
    throw invalid('tool', `is not the name of a tool.${didYouMean(name, known)}`);
  }
}

function invalid(path: string, message: string): AppError {
  return AppError.invalid(`${path || 'The call'} ${message}`, [{ path, message }]);
}

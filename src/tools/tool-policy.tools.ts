import { Injectable, UseGuards } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { ToolPoliciesService } from '../policies/tool-policies.service.js';
import { ListToolPoliciesInput } from './list-tool-policies.input.js';
import { didYouMean } from './nearest-names.js';
import { OwnerGuard } from './owner.guard.js';
import type { RegisteredTool } from './registered-tool.js';
import { SetToolPolicyInput } from './set-tool-policy.input.js';
import type { ToolCall } from './tool-call.js';
import { ToolPolicyList } from './tool-policy-list.js';
import { ToolPolicyResult } from './tool-policy-result.js';
import { ToolRegistry } from './tool-registry.js';
import { Tool } from './tool.decorator.js';

const SET = 'set_tool_policy';
const LIST = 'list_tool_policies';
/** Without these two nobody could take a policy back. */
const FREE_OF_POLICIES = new Set([SET, LIST]);

/** How the owners of an organization decide about its tools. */
@Injectable()
export class ToolPolicyTools {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly policies: ToolPoliciesService,
  ) {}

  @UseGuards(OwnerGuard)
  @Tool({
    name: SET,
    title: 'Set the policy of a tool',
    description:
      'Hides a tool from everybody in the organization, or says when calls of agents must be confirmed. Leaves what is ' +
      'not given. Holds from the next request on. New workflows cannot use a hidden tool; those that do go on.',
    output: ToolPolicyResult,
    idempotent: true,
    surfaces: ['dashboard'],
  })
  async set(
    { tool: name, hidden, confirmation }: SetToolPolicyInput,
    { organizationId }: ToolCall,
  ): Promise<ToolPolicyResult> {
    const tool = this.get(name);
    if (hidden === undefined && confirmation === undefined) {
      throw invalid('', 'needs hidden, confirmation or both');
    }
    if (FREE_OF_POLICIES.has(tool.descriptor.name)) {
      throw invalid('tool', 'is one that no policy applies to');
    }
    if (confirmation !== undefined && confirmation !== 'never' && !tool.surfaces.has('agent')) {
      throw invalid('confirmation', 'is for tools that agents can call, and this one is not');
    }
    const policy = await this.policies.change(organizationId, tool.names, {
      hidden,
      confirmation,
    });
    return { policy: { tool: tool.descriptor.name, ...policy } };
  }

  @UseGuards(OwnerGuard)
  @Tool({
    name: LIST,
    title: 'List the policies of tools',
    description: 'Returns the tools that are hidden or whose calls must be confirmed, by name.',
    output: ToolPolicyList,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async list(_input: ListToolPoliciesInput, { organizationId }: ToolCall): Promise<ToolPolicyList> {
    const policies = await this.policies.get(organizationId);
    return {
      policies: this.registry
        .all()
        .map(({ names }) => ({ tool: names[0], ...policies.policy(...names) }))
        .filter(({ hidden, confirmation }) => hidden || confirmation !== 'never'),
    };
  }

  private get(name: string): RegisteredTool {
    const tools = this.registry.all();
    const tool = tools.find(({ names }) => names.includes(name));
    if (tool) return tool;
    const hint = didYouMean(
      name,
      tools.map(({ descriptor }) => descriptor.name),
    );
    throw invalid('tool', `is not the name of a tool.${hint}`);
  }
}

function invalid(path: string, message: string): AppError {
  return AppError.invalid(`${path || 'The call'} ${message}`, [{ path, message }]);
}

import { Injectable, UseGuards } from '@nestjs/common';
import { AppError } from '../../errors/app-error.js';
import { ToolPoliciesService } from '../../policies/tool-policies.service.js';
import { ListToolPoliciesInput } from './tool-policy.inputs.js';
import { didYouMean } from '../../text/nearest-names.js';
import { OfferedTools } from '../registry/offered-tools.js';
import { OwnerGuard } from './owner.guard.js';
import { SetToolPolicyInput } from './tool-policy.inputs.js';
import type { ToolCall } from '../contract/tool-call.js';
import { ToolPolicyList } from './tool-policy.results.js';
import { ToolPolicyResult } from './tool-policy.results.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { Tool } from '../contract/tool.decorator.js';

const SET = 'set_tool_policy';
const LIST = 'list_tool_policies';
/** Without these two nobody could take a policy back. */
const FREE_OF_POLICIES = new Set([SET, LIST]);

/** What a policy is about. */
interface PolicySubject {
  /** The present name first. */
  readonly names: readonly [string, ...string[]];
  readonly isForAgents: boolean;
}

/** How the owners of an organization decide about its tools. */
@Injectable()
export class ToolPolicyTools {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly policies: ToolPoliciesService,
    private readonly own: OfferedTools,
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
    const tool = await this.get(organizationId, name);
    if (hidden === undefined && confirmation === undefined) {
      throw invalid('', 'needs hidden, confirmation or both');
    }
    if (FREE_OF_POLICIES.has(tool.names[0])) {
      throw invalid('tool', 'is one that no policy applies to');
    }
    if (confirmation !== undefined && confirmation !== 'never' && !tool.isForAgents) {
      throw invalid('confirmation', 'is for tools that agents can call, and this one is not');
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
    description: 'Returns the tools that are hidden or whose calls must be confirmed, by name.',
    output: ToolPolicyList,
    readOnly: true,
    surfaces: ['dashboard'],
  })
  async list(_input: ListToolPoliciesInput, { organizationId }: ToolCall): Promise<ToolPolicyList> {
    const policies = await this.policies.get(organizationId);
    const registered = this.registry.all().map(({ names }) => names);
    // Those of tools that the organization has made, or had, as well: a policy is about a name.
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
    if (tool) return { names: tool.names, isForAgents: tool.surfaces.has('agent') };
    const own = await this.own.names(organizationId);
    const decided = (await this.policies.get(organizationId)).names();
    if (own.includes(name) || decided.includes(name)) return { names: [name], isForAgents: true };
    const known = [...tools.map(({ descriptor }) => descriptor.name), ...own];
    throw invalid('tool', `is not the name of a tool.${didYouMean(name, known)}`);
  }
}

function invalid(path: string, message: string): AppError {
  return AppError.invalid(`${path || 'The call'} ${message}`, [{ path, message }]);
}

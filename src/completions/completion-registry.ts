import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { ToolPolicies } from '../policies/tool-policies.js';
import { PromptRegistry } from '../prompts/prompt-registry.js';
import { ResourceRegistry } from '../resources/resource-registry.js';
import { ReadPipeline } from '../tools/pipeline/read-pipeline.js';
import {
  assertUnique,
  type BoundMethod,
  type DecoratedMethod,
  DecoratedMethods,
} from '../tools/registry/decorated-methods.js';
import type { RequiredTools } from '../tools/registry/registered-tool.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';
import {
  type CompletedArgument,
  Completion,
  type CompletionCall,
  type CompletionOptions,
  MAX_COMPLETIONS,
} from './completion.decorator.js';

const MAX_VALUE_LENGTH = 255;

interface RegisteredCompletion {
  readonly read: BoundMethod;
  readonly needs: RequiredTools;
}

/** The suggested values of an argument. The fields have the names of the MCP specification. */
export interface CompletionResult {
  values: string[];
  /** The number of all values. Absent if `values` does not contain all values. */
  total?: number;
  hasMore: boolean;
}

/**
 * Finds every `@Completion` method at boot. Two completions for one argument, or a completion for an unknown argument,
 * stop the process. The registries of prompts and resources must be ready first, so this module imports their modules.
 */
@Injectable()
export class CompletionRegistry implements OnModuleInit {
  private readonly completions = new Map<string, RegisteredCompletion>();

  constructor(
    private readonly prompts: PromptRegistry,
    private readonly resources: ResourceRegistry,
    private readonly methods: DecoratedMethods,
    private readonly pipeline: ReadPipeline,
    private readonly tools: ToolRegistry,
  ) {}

  onModuleInit(): void {
    const found = this.methods.find(Completion);
    assertUnique('completion', found, ({ options }) => [keyOf(options)]);
    for (const method of found) {
      this.assertKnown(method);
      const read = this.pipeline.wrap(method, 'completion', (value) => value);
      const needs = this.tools.require(method.options.needs ?? [], method.place);
      this.completions.set(keyOf(method.options), { read, needs });
    }
  }

  /**
   * Returns no values for an argument without a completion, or when the policies do not permit the tools that the
   * completion needs. Throws `invalid_arguments` for an unknown argument.
   */
  async complete(
    completed: CompletedArgument,
    value: string,
    policies: ToolPolicies,
    call: CompletionCall,
  ): Promise<CompletionResult> {
    if (!this.argumentsOf(completed, policies).includes(completed.argument)) {
      throw AppError.invalid(
        'The prompt or resource template has no such argument. Its list names the arguments.',
      );
    }
    const completion = this.completions.get(keyOf(completed));
    const isText =
      value.length <= MAX_VALUE_LENGTH && !value.includes('\0') && value.isWellFormed();
    const isOpen = completion?.needs.areAllowed(policies) ?? false;
    const all = isText && isOpen ? await completion!.read(value, call) : [];
    if (!Array.isArray(all)) throw new Error('A completion must return a list.');
    const values = all.slice(0, MAX_COMPLETIONS) as string[];
    return all.length > MAX_COMPLETIONS
      ? { values, hasMore: true }
      : { values, total: values.length, hasMore: false };
  }

  /**
   * Returns the arguments of a prompt or the variables of a resource. Throws `not_found` if there is no such prompt or
   * resource.
   */
  private argumentsOf(completed: CompletedArgument, policies: ToolPolicies): readonly string[] {
    if ('prompt' in completed) {
      return this.prompts.describe(completed.prompt, policies).arguments.map(({ name }) => name);
    }
    const variables = this.resources.variablesOf(completed.resource, policies);
    if (!variables) throw new AppError('not_found', 'Unknown resource.');
    return variables;
  }

  private assertKnown({ options, place }: DecoratedMethod<CompletionOptions>): void {
    let known: readonly string[];
    try {
      known = this.argumentsOf(options, ToolPolicies.NONE);
    } catch (error) {
      throw new Error(`${place}: the ${ownerOf(options)} does not exist.`, { cause: error });
    }
    if (known.includes(options.argument)) return;
    throw new Error(`${place}: ${ownerOf(options)} has no argument ${options.argument}.`);
  }
}

function ownerOf(completed: CompletedArgument): string {
  return 'prompt' in completed ? `prompt ${completed.prompt}` : `resource ${completed.resource}`;
}

function keyOf(completed: CompletedArgument): string {
  return `${completed.argument} of the ${ownerOf(completed)}`;
}

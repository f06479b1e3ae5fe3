import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import type { ToolPolicies } from '../policies/tool-policies.js';
import { unknownName } from '../text/nearest-names.js';
import type { ToolCall } from '../tools/contract/tool-call.js';
import { ReadPipeline } from '../tools/pipeline/read-pipeline.js';
import {
  assertName,
  assertUnique,
  type DecoratedMethod,
  DecoratedMethods,
  firstParameter,
} from '../tools/registry/decorated-methods.js';
import { ToolRegistry } from '../tools/registry/tool-registry.js';
import { classSchema } from '../tools/schema/class-schema.js';
import { parseArguments } from '../tools/schema/parse-arguments.js';
import {
  Prompt,
  type PromptDescriptor,
  type PromptOptions,
  type PromptResult,
  type RegisteredPrompt,
} from './prompt.decorator.js';

/** Finds every `@Prompt` method at boot. A duplicate name, or an argument that is not a text, stops the process. */
@Injectable()
export class PromptRegistry implements OnModuleInit {
  private readonly prompts = new Map<string, RegisteredPrompt>();

  constructor(
    private readonly methods: DecoratedMethods,
    private readonly pipeline: ReadPipeline,
    private readonly tools: ToolRegistry,
  ) {}

  onModuleInit(): void {
    const found = this.methods.find(Prompt);
    assertUnique('prompt', found, ({ options }) => [options.name]);
    found.sort((a, b) => (a.options.name < b.options.name ? -1 : 1));
    for (const method of found) this.prompts.set(method.options.name, this.register(method));
  }

  /** Returns the prompts whose tools the policies allow, sorted by name in code-unit order. */
  list(policies: ToolPolicies): PromptDescriptor[] {
    return [...this.prompts.values()]
      .filter(({ needs }) => needs.areAllowed(policies))
      .map(({ descriptor }) => descriptor);
  }

  /** Returns the descriptor of a prompt. Throws `not_found`, with similar names, if there is no such prompt. */
  describe(name: string, policies: ToolPolicies): PromptDescriptor {
    return this.require(name, policies).descriptor;
  }

  /**
   * Returns the messages of a prompt. Throws `not_found`, or `invalid_arguments` for arguments that the prompt does not
   * have.
   */
  async get(
    name: string,
    given: object,
    policies: ToolPolicies,
    call: ToolCall,
  ): Promise<PromptResult> {
    const prompt = this.require(name, policies);
    const result = (await prompt.get(withoutEmpty(given), call)) as PromptResult;
    // Compiled code can return a value that its type forbids. Without this check, the caller would get an incomplete
    // result.
    if (!Array.isArray(result?.messages)) throw new Error('A prompt must return messages.');
    return result;
  }

  private require(name: string, policies: ToolPolicies): RegisteredPrompt {
    const prompt = this.prompts.get(name);
    if (prompt?.needs.areAllowed(policies)) return prompt;
    const known = this.list(policies).map((descriptor) => descriptor.name);
    throw new AppError('not_found', unknownName('prompt', name, known));
  }

  private register(method: DecoratedMethod<PromptOptions>): RegisteredPrompt {
    const { options, place } = method;
    const { name, title, description, icons, needs = [] } = options;
    assertName('a prompt', name, place);
    const input = firstParameter(method);
    const schema = classSchema(input);
    const fields = Object.entries(schema.properties);
    const wrong = fields.find(([, field]) => field.type !== 'string');
    if (wrong) {
      throw new Error(`${place}: ${input.name}.${wrong[0]}: arguments of prompts are texts only.`);
    }
    return {
      descriptor: {
        name,
        title,
        description,
        arguments: fields.map(([field, { description: about }]) => ({
          name: field,
          ...(about !== undefined && { description: about }),
          required: schema.required?.includes(field) ?? false,
        })),
        ...(icons && { icons }),
      },
      needs: this.tools.require(needs, place),
      get: this.pipeline.wrap(method, 'prompt', (given) => parseArguments(input, schema, given)),
    };
  }
}

/** Removes empty texts, which MCP hosts send for fields that a person left empty. */
function withoutEmpty(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

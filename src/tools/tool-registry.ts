import { ForbiddenException, HttpException, Injectable, type OnModuleInit } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import type { ToolPolicies } from '../policies/tool-policies.js';
import { type DecoratedMethod, DecoratedMethods, firstParameter } from './decorated-methods.js';
import type { RegisteredTool, ToolDescriptor } from './registered-tool.js';
import { type DtoClass, dtoSchema } from './schema/dto-schema.js';
import type { Surface, ToolCall } from './tool-call.js';
import { type ToolMethod, ToolPipeline } from './tool-pipeline.js';
import { Tool, type ToolOptions } from './tool.decorator.js';

const NAME = /^[a-z][a-z0-9_]{0,63}$/;
const EVERYWHERE: readonly Surface[] = ['agent', 'workflow', 'dashboard'];

/**
 * Finds every `@Tool` method at boot. A duplicate name, or a class that no JSON Schema can express, stops the
 * process: a tool that agents cannot reach must never look deployed.
 */
@Injectable()
export class ToolRegistry implements OnModuleInit {
  private readonly tools = new Map<string, RegisteredTool>();

  constructor(
    private readonly methods: DecoratedMethods,
    private readonly pipeline: ToolPipeline,
  ) {}

  onModuleInit(): void {
    const found: RegisteredTool[] = [];
    const places = new Map<string, string>();
    for (const method of this.methods.find(Tool)) {
      const { name } = method.options;
      const other = places.get(name);
      if (other) throw new Error(`Two tools are called ${name}: ${other} and ${method.place}.`);
      places.set(name, method.place);
      found.push(this.register(method));
    }
    found.sort((a, b) => (a.descriptor.name < b.descriptor.name ? -1 : 1));
    for (const tool of found) this.tools.set(tool.descriptor.name, tool);
  }

  /** Every tool, whoever may call it, by name in code-unit order. */
  all(): RegisteredTool[] {
    return [...this.tools.values()];
  }

  /** The tools that a surface may call and `policies` do not hide, by name in code-unit order. */
  list(surface: Surface, policies: ToolPolicies): ToolDescriptor[] {
    return this.all()
      .filter((tool) => isOpen(tool, surface, policies))
      .map((tool) => tool.descriptor);
  }

  /** The tool of this name; undefined for one that is hidden, or not for this surface, as if there were none. */
  find(name: string, surface: Surface, policies: ToolPolicies): RegisteredTool | undefined {
    const tool = this.tools.get(name);
    return tool && isOpen(tool, surface, policies) ? tool : undefined;
  }

  /** Calls a tool and returns its result; every expected failure is an {@link AppError}. */
  async call(tool: RegisteredTool, given: unknown, call: ToolCall): Promise<object> {
    try {
      return await tool.invoke(given, call);
    } catch (error) {
      throw fromGuard(error);
    }
  }

  private register(method: DecoratedMethod<ToolOptions>): RegisteredTool {
    const { options, place } = method;
    if (!NAME.test(options.name)) {
      throw new Error(`${place}: "${options.name}" is no name for a tool (${NAME.source}).`);
    }
    const input = options.input ?? firstParameter(method);
    // The pipeline stands in place of the method, so that @UseGuards on it apply before validation.
    const run = (given: unknown, call: ToolCall): Promise<object> =>
      this.pipeline.run(tool, method.run as ToolMethod, given, call);
    const tool: RegisteredTool = {
      descriptor: describe(options, input),
      input,
      surfaces: new Set(options.surfaces ?? EVERYWHERE),
      readOnly: options.readOnly ?? false,
      external: options.external ?? false,
      invoke: this.methods.guarded(method, run, 'tool'),
    };
    return tool;
  }
}

function isOpen(tool: RegisteredTool, surface: Surface, policies: ToolPolicies): boolean {
  return tool.surfaces.has(surface) && !policies.hides(tool.descriptor.name);
}

function describe(options: ToolOptions, input: DtoClass): ToolDescriptor {
  const readOnly = options.readOnly ?? false;
  return {
    name: options.name,
    title: options.title,
    description: options.description,
    inputSchema: dtoSchema(input),
    ...(options.output && { outputSchema: dtoSchema(options.output) }),
    ...(options.icons && { icons: options.icons }),
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: !readOnly && (options.destructive ?? false),
      idempotentHint: readOnly || (options.idempotent ?? false),
      openWorldHint: options.external ?? false,
    },
  };
}

/** Guards speak Nest's HTTP exceptions; callers of tools get the codes that the contract names. */
export function fromGuard(error: unknown): unknown {
  if (!(error instanceof HttpException)) return error;
  if (error instanceof ForbiddenException || error.getStatus() === 401) {
    return new AppError('forbidden', 'You may not call this tool.', { cause: error });
  }
  if (error.getStatus() === 429) {
    return new AppError('rate_limited', 'Too many calls. Try again later.', { cause: error });
  }
  return error.getStatus() < 500
    ? new AppError('invalid_arguments', 'This call was refused.', { cause: error })
    : error;
}

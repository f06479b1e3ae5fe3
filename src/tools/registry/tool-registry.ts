import {
  ForbiddenException,
  HttpException,
  Injectable,
  Logger,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { Env } from '../../config/env.js';
import { AppError } from '../../errors/app-error.js';
import type { ToolPolicies } from '../../policies/tool-policies.js';
import { checkResult } from '../pipeline/check-result.js';
import { type DecoratedMethod, DecoratedMethods, firstParameter } from './decorated-methods.js';
import { assertName, assertUnique } from './names.js';
import { RequiredTools } from './needed-tools.js';
import { parseArguments } from '../schema/parse-arguments.js';
import type { RegisteredTool, ToolDescriptor } from './registered-tool.js';
import { type DtoClass, dtoSchema } from '../schema/dto-schema.js';
import type { Surface, ToolCall } from '../contract/tool-call.js';
import type { TaskSource } from '../contract/task-source.js';
import { type ToolMethod, ToolPipeline } from '../pipeline/tool-pipeline.js';
import { Tool, type ToolOptions } from '../contract/tool.decorator.js';

/** Said beside the arguments in the body of `POST /api/tools/:name`, and so not free for an argument. */
const RESERVED_ARGUMENT = 'dry_run';
const EVERYWHERE: readonly Surface[] = ['agent', 'workflow', 'dashboard'];

/**
 * Finds every `@Tool` method at boot. A duplicate name, or a class that no JSON Schema can express, stops the
 * process: a tool that agents cannot reach must never look deployed.
 */
@Injectable()
export class ToolRegistry implements OnModuleInit {
  private readonly logger = new Logger('Tools');
  private readonly tools: RegisteredTool[] = [];
  /** By present and deprecated names. */
  private readonly byName = new Map<string, RegisteredTool>();
  private readonly warnedOf = new Set<string>();

  constructor(
    private readonly methods: DecoratedMethods,
    private readonly pipeline: ToolPipeline,
    private readonly env: Env,
  ) {}

  onModuleInit(): void {
    const methods = this.methods.find(Tool);
    assertUnique('tool', methods, ({ options }) => namesOf(options));
    for (const method of methods) this.tools.push(this.register(method));
    this.tools.sort((a, b) => (a.descriptor.name < b.descriptor.name ? -1 : 1));
    for (const tool of this.tools) {
      for (const name of tool.names) this.byName.set(name, tool);
    }
  }

  /** Every tool, whoever may call it, by name in code-unit order. */
  all(): readonly RegisteredTool[] {
    return this.tools;
  }

  /** The tools that a surface may call and `policies` do not hide, by name in code-unit order. */
  list(surface: Surface, policies: ToolPolicies): ToolDescriptor[] {
    return this.tools
      .filter((tool) => isOpen(tool, surface, policies))
      .map((tool) => tool.descriptor);
  }

  /**
   * The tool that has, or had, this name; undefined for one that is hidden, or not for this surface, as if there were
   * none.
   */
  find(name: string, surface: Surface, policies: ToolPolicies): RegisteredTool | undefined {
    const tool = this.byName.get(name);
    if (!tool || !isOpen(tool, surface, policies)) return undefined;
    const present = tool.descriptor.name;
    if (name !== present && !this.warnedOf.has(name)) {
      this.warnedOf.add(name);
      this.logger.warn(
        `The tool name ${name} is deprecated and still in use: it is now ${present}.`,
      );
    }
    return tool;
  }

  /** Whether a tool has, or had, this name, whoever may call it. */
  isTaken(name: string): boolean {
    return this.byName.has(name);
  }

  /** The tools of these names, present or deprecated; throws, for the boot, where there is none, and says where. */
  needed(names: readonly string[], place: string): RequiredTools {
    const tools = names.map((name) => {
      const tool = this.byName.get(name);
      if (!tool) throw new Error(`${place}: needs the tool ${name}, which there is not.`);
      return tool;
    });
    return new RequiredTools(tools);
  }

  /** Who knows the tasks that the tools which a surface may call begin. */
  taskSources(surface: Surface, policies: ToolPolicies): ReadonlySet<Type<TaskSource>> {
    const open = this.tools.filter((tool) => isOpen(tool, surface, policies));
    return new Set(open.flatMap(({ task }) => task ?? []));
  }

  /**
   * Calls a tool and returns its result; every expected failure is an {@link AppError}. Arguments that are not right may
   * throw at once.
   */
  call(tool: RegisteredTool, given: unknown, call: ToolCall): Promise<object> {
    // Not awaited: that makes two promises a call, and on Node 20 each runs the hooks of AsyncLocalStorage.
    return tool.invoke(given, call).catch(rethrow);
  }

  private register(method: DecoratedMethod<ToolOptions>): RegisteredTool {
    const { options, place } = method;
    for (const name of namesOf(options)) assertName('a tool', name, place);
    const input = options.input ?? firstParameter(method);
    const descriptor = describe(options, input);
    if (Object.hasOwn(descriptor.inputSchema.properties, RESERVED_ARGUMENT)) {
      throw new Error(`${place}: ${RESERVED_ARGUMENT} is no name for an argument: it is reserved.`);
    }
    // The pipeline stands in place of the method, so that @UseGuards on it apply before validation.
    const inner = this.checked(method);
    const run = (given: unknown, call: ToolCall): Promise<object> =>
      this.pipeline.run(tool, inner, given, call);
    const tool: RegisteredTool = {
      descriptor,
      names: namesOf(options),
      parse: (given) => parseArguments(input, descriptor.inputSchema, given),
      surfaces: new Set(options.surfaces ?? EVERYWHERE),
      readOnly: options.readOnly ?? false,
      external: options.external ?? false,
      ...(options.task && { task: options.task }),
      invoke: this.methods.guarded(method, run, 'tool'),
    };
    return tool;
  }

  /** In development the result is compared with its class inside the transaction, so that a wrong one has no effect. */
  private checked({ run, options: { name, output } }: DecoratedMethod<ToolOptions>): ToolMethod {
    const method = run as ToolMethod;
    if (!output || !this.env.checksResults) return method;
    const promised = { dto: output, schema: dtoSchema(output) };
    return async (input, call) => {
      const result = await method(input, call);
      checkResult(name, promised, result);
      return result;
    };
  }
}

function isOpen(tool: RegisteredTool, surface: Surface, policies: ToolPolicies): boolean {
  return tool.surfaces.has(surface) && !policies.hides(...tool.names);
}

function namesOf({ name, aliases = [] }: ToolOptions): [string, ...string[]] {
  return [name, ...aliases];
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

function rethrow(error: unknown): never {
  throw fromGuard(error);
}

/** Guards speak Nest's HTTP exceptions; callers of tools, and of `what` else, get the codes that the contract names. */
export function fromGuard(error: unknown, what = 'tool'): unknown {
  if (!(error instanceof HttpException)) return error;
  if (error instanceof ForbiddenException || error.getStatus() === 401) {
    return new AppError('forbidden', `You may not call this ${what}.`, { cause: error });
  }
  if (error.getStatus() === 429) {
    return new AppError('rate_limited', 'Too many calls. Try again later.', { cause: error });
  }
  return error.getStatus() < 500
    ? new AppError('invalid_arguments', 'This call was refused.', { cause: error })
    : error;
}

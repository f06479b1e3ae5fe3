import { Injectable, Logger, type OnModuleInit, type Type } from '@nestjs/common';
import { CallRecorder } from '../../accounts/call-recorder.js';
import { Env } from '../../config/env.js';
import { AppError } from '../../errors/app-error.js';
import { ShownBug } from '../../errors/shown-bug.js';
import type { ToolPolicies } from '../../policies/tool-policies.js';
import type { TaskSource } from '../contract/task-source.js';
import type { Surface, ToolCall } from '../contract/tool-call.js';
import { Tool, type ToolOptions } from '../contract/tool.decorator.js';
import { type ToolMethod, ToolPipeline } from '../pipeline/tool-pipeline.js';
import { type SchemaClass, classSchema } from '../schema/class-schema.js';
import { parseArguments, parseBySchema } from '../schema/parse-arguments.js';
import { endedCall, isBug } from './ended-call.js';
import {
  assertName,
  assertUnique,
  type DecoratedMethod,
  DecoratedMethods,
  firstParameter,
  fromHttpException,
} from './decorated-methods.js';
import { type RegisteredTool, RequiredTools, type ToolDescriptor } from './registered-tool.js';

/** The member that `POST /api/tools/:name` accepts beside the arguments. No argument can have this name. */
const RESERVED_ARGUMENT = 'dry_run';
const ALL_SURFACES: readonly Surface[] = ['agent', 'workflow', 'dashboard'];

const USE_OF: Record<Surface, string> = {
  agent: 'agents, with an API key',
  workflow: 'steps of workflows',
  dashboard: 'signed-in people, in the dashboard',
};

/**
 * Finds tools at boot: `DecoratedMethods` finds the methods with `@Tool` in the providers of all modules. A duplicate
 * name or a class without a schema stops the process, so that no tool is missing. `ToolLists` encodes the list for
 * agents.
 */
@Injectable()
export class ToolRegistry implements OnModuleInit {
  private readonly logger = new Logger('Tools');
  private readonly tools: RegisteredTool[] = [];
  /** The tools by their current and deprecated names. */
  private readonly byName = new Map<string, RegisteredTool>();
  private readonly warnedNames = new Set<string>();

  constructor(
    private readonly methods: DecoratedMethods,
    private readonly pipeline: ToolPipeline,
    private readonly env: Env,
    private readonly calls: CallRecorder,
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

  /** Returns every tool of every surface, sorted by name in code-unit order. */
  all(): readonly RegisteredTool[] {
    return this.tools;
  }

  /** Returns the tools that a surface may call and `policies` permit, sorted by name in code-unit order. */
  list(surface: Surface, policies: ToolPolicies): ToolDescriptor[] {
    return this.tools
      .filter((tool) => isCallable(tool, surface, policies))
      .map((tool) => tool.descriptor);
  }

  /**
   * Finds a tool by its current or a deprecated name. Returns undefined if the surface or `policies` forbid the
   * tool. `policies` contain the restriction of the caller's key. When no tool is found, `ToolHandlers` answers an
   * agent with the JSON-RPC error -32602. If only the key forbids the tool, the answer is `forbidden` with the
   * reason. `ToolsController` answers a person with 404.
   */
  find(name: string, surface: Surface, policies: ToolPolicies): RegisteredTool | undefined {
    const tool = this.byName.get(name);
    if (!tool || !isCallable(tool, surface, policies)) return undefined;
    const current = tool.descriptor.name;
    if (name !== current && !this.warnedNames.has(name)) {
      this.warnedNames.add(name);
      this.logger.warn(
        `The tool name ${name} is deprecated and still in use: it is now ${current}.`,
      );
    }
    return tool;
  }

  /**
   * Returns a sentence that names the surfaces that have a tool of this name. Returns undefined if no surface has the
   * tool, or if `policies` hide the tool.
   */
  describeOtherSurface(name: string, surface: Surface, policies: ToolPolicies): string | undefined {
    const tool = this.byName.get(name);
    if (!tool || !policies.permits(tool) || tool.surfaces.has(surface)) return undefined;
    const others = [...tool.surfaces].map((other) => USE_OF[other]);
    return `The tool ${name} cannot be called here. It is for ${others.join(' and ')}.`;
  }

  /** Returns true if a tool has this current or deprecated name. */
  isTaken(name: string): boolean {
    return this.byName.has(name);
  }

  /** Returns the tools of these current or deprecated names. Throws at boot for an unknown name. */
  require(names: readonly string[], place: string): RequiredTools {
    const tools = names.map((name) => {
      const tool = this.byName.get(name);
      if (!tool) throw new Error(`${place}: needs the tool ${name}, and no tool has this name.`);
      return tool;
    });
    return new RequiredTools(tools);
  }

  taskSources(surface: Surface, policies: ToolPolicies): ReadonlySet<Type<TaskSource>> {
    const callable = this.tools.filter((tool) => isCallable(tool, surface, policies));
    return new Set(callable.flatMap(({ task }) => task ?? []));
  }

  /**
   * Calls a tool and returns its result. Every expected failure is an {@link AppError}. Invalid arguments throw before
   * the method runs. The log of calls gets a row.
   */
  call(tool: RegisteredTool, given: unknown, call: ToolCall): Promise<object> {
    const beganAt = performance.now();
    const fail = (error: unknown): never => {
      const failure = fromHttpException(error, 'tool');
      this.calls.recordCall(endedCall(tool.names[0], given, call, beganAt, failure));
      // For a step of a workflow, the runner of tool steps decides whether callers see a bug. Only the runner knows all
      // bugs of a step, because a step can also fail later, at its commit.
      const isShown = this.env.showsBugs && call.surface !== 'workflow';
      throw isShown && isBug(failure, call.signal) ? new ShownBug(failure) : failure;
    };
    try {
      return tool.invoke(given, call).then((result) => {
        this.calls.recordCall(endedCall(tool.names[0], undefined, call, beganAt));
        return result;
      }, fail);
    } catch (error) {
      return fail(error);
    }
  }

  private register(method: DecoratedMethod<ToolOptions>): RegisteredTool {
    const { options, place } = method;
    for (const name of namesOf(options)) assertName('a tool', name, place);
    const input = options.input ?? firstParameter(method);
    const descriptor = describe(options, input);
    if (Object.hasOwn(descriptor.inputSchema.properties, RESERVED_ARGUMENT)) {
      throw new Error(
        `${place}: ${RESERVED_ARGUMENT} is reserved. Give the argument another name.`,
      );
    }
    // Guards go around the pipeline and not around the method, so that they run before validation.
    const checkedMethod = this.withCheckedResult(method, descriptor);
    const run = (given: unknown, call: ToolCall): Promise<object> =>
      this.pipeline.run(tool, checkedMethod, given, call);
    const behindGuards = (given: unknown, call: ToolCall): Promise<object> =>
      this.pipeline.runBehindGuards(tool, checkedMethod, given, call);
    const guarded = this.methods.guarded(method, behindGuards, 'tool');
    const tool: RegisteredTool = {
      descriptor,
      names: namesOf(options),
      parse: (given) => parseArguments(input, descriptor.inputSchema, given),
      surfaces: new Set(options.surfaces ?? ALL_SURFACES),
      readOnly: options.readOnly ?? false,
      external: options.external ?? false,
      ...(options.secrets && { secrets: options.secrets }),
      ...(options.task && { task: options.task }),
      ...(options.checkStep && { checkStep: options.checkStep }),
      ...(options.requestOf && { requestOf: options.requestOf }),
      invoke:
        guarded === behindGuards
          ? run
          : (given, call) => this.pipeline.runGuarded(tool, call, () => guarded(given, call)),
    };
    return tool;
  }

  /** Checks results in development, inside the transaction, so that a call with a wrong result is rolled back. */
  private withCheckedResult(
    { run, options: { name, output } }: DecoratedMethod<ToolOptions>,
    { outputSchema }: ToolDescriptor,
  ): ToolMethod {
    const method = run as ToolMethod;
    if (!this.env.checksResults) return method;
    return async (input, call) => {
      const result = await method(input, call);
      assertKind(name, result, output);
      if (!output || !outputSchema) return result;
      try {
        // Check the JSON that callers get, without undefined members and with times as text.
        parseBySchema(outputSchema, JSON.parse(JSON.stringify(result), storable));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        const faults = error.details?.map((fault) => `${fault.path} ${fault.message}`).join('; ');
        const message = `The result of ${name} does not match its class ${output.name}: ${faults}`;
        throw new Error(message, { cause: error });
      }
      return result;
    };
  }
}

/**
 * Throws if a method returned nothing. Throws if a method without an `output` class returned something other than
 * {@link ToolContent}.
 */
function assertKind(name: string, result: unknown, output: SchemaClass | undefined): void {
  const members = result as { content?: unknown } | null | undefined;
  if (output ? typeof result === 'object' && result !== null : Array.isArray(members?.content)) {
    return;
  }
  throw new Error(
    output
      ? `The tool ${name} must return an object of its class ${output.name}.`
      : `The tool ${name} must return ToolContent, such as ToolContent.text('…'), or name a class under output.`,
  );
}

/**
 * Removes names and characters that arguments may not contain. A result may contain them, because its data can come
 * from the payload of a webhook.
 */
function storable(key: string, value: unknown): unknown {
  if (key === '__proto__' || key.includes('\0') || !key.isWellFormed()) return undefined;
  return typeof value === 'string' ? value.replaceAll('\0', ' ').toWellFormed() : value;
}

function isCallable(tool: RegisteredTool, surface: Surface, policies: ToolPolicies): boolean {
  return tool.surfaces.has(surface) && policies.permits(tool);
}

function namesOf({ name, aliases = [] }: ToolOptions): [string, ...string[]] {
  return [name, ...aliases];
}

function describe(options: ToolOptions, input: SchemaClass): ToolDescriptor {
  const readOnly = options.readOnly ?? false;
  return {
    name: options.name,
    title: options.title,
    description: options.description,
    inputSchema: classSchema(input),
    ...(options.output && { outputSchema: classSchema(options.output) }),
    ...(options.icons && { icons: options.icons }),
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: !readOnly && (options.destructive ?? false),
      idempotentHint: readOnly || (options.idempotent ?? false),
      openWorldHint: options.external ?? false,
    },
  };
}

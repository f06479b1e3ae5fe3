import 'reflect-metadata';
import { ForbiddenException, HttpException, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, ExternalContextCreator, MetadataScanner } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { AppError } from '../errors/app-error.js';
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
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly contexts: ExternalContextCreator,
    private readonly pipeline: ToolPipeline,
  ) {}

  onModuleInit(): void {
    const found: RegisteredTool[] = [];
    const places = new Map<string, string>();
    for (const wrapper of this.discovery.getProviders()) {
      for (const [method, options] of this.toolMethods(wrapper)) {
        const place = `${wrapper.name}.${method}`;
        const other = places.get(options.name);
        if (other) {
          throw new Error(`Two tools are called ${options.name}: ${other} and ${place}.`);
        }
        places.set(options.name, place);
        found.push(this.register(wrapper, method, options, place));
      }
    }
    found.sort((a, b) => (a.descriptor.name < b.descriptor.name ? -1 : 1));
    for (const tool of found) this.tools.set(tool.descriptor.name, tool);
  }

  /** The tools that a surface may call, by name in code-unit order. */
  list(surface: Surface): ToolDescriptor[] {
    return [...this.tools.values()]
      .filter((tool) => tool.surfaces.has(surface))
      .map((tool) => tool.descriptor);
  }

  find(name: string, surface: Surface): RegisteredTool | undefined {
    const tool = this.tools.get(name);
    return tool?.surfaces.has(surface) ? tool : undefined;
  }

  /** Calls a tool and returns its result; every expected failure is an {@link AppError}. */
  async call(tool: RegisteredTool, given: unknown, call: ToolCall): Promise<object> {
    try {
      return await tool.invoke(given, call);
    } catch (error) {
      throw fromGuard(error);
    }
  }

  private *toolMethods(wrapper: InstanceWrapper): Generator<[string, ToolOptions]> {
    if (!wrapper.metatype || wrapper.inject) return;
    const prototype = (wrapper.metatype as { prototype?: object }).prototype;
    if (!prototype) return;
    for (const method of this.scanner.getAllMethodNames(prototype)) {
      const options = this.discovery.getMetadataByDecorator(Tool, wrapper, method);
      if (options) yield [method, options];
    }
  }

  private register(
    wrapper: InstanceWrapper,
    methodName: string,
    options: ToolOptions,
    place: string,
  ): RegisteredTool {
    if (!NAME.test(options.name)) {
      throw new Error(`${place}: "${options.name}" is no name for a tool (${NAME.source}).`);
    }
    if (!wrapper.isDependencyTreeStatic()) {
      throw new Error(`${place}: a tool cannot live in a request-scoped provider.`);
    }
    const instance = wrapper.instance as Record<string, ToolMethod>;
    const method = instance[methodName]!;
    const input = options.input ?? firstParameter(instance, methodName, place);
    const tool: RegisteredTool = {
      descriptor: describe(options, input),
      input,
      surfaces: new Set(options.surfaces ?? EVERYWHERE),
      readOnly: options.readOnly ?? false,
      external: options.external ?? false,
      invoke: this.contexts.create(
        instance,
        this.guarded(method, () => tool, instance) as (...given: unknown[]) => Promise<object>,
        methodName,
        undefined,
        undefined,
        undefined,
        undefined,
        { guards: true, interceptors: true, filters: false },
        'tool',
      ) as RegisteredTool['invoke'],
    };
    return tool;
  }

  /** The pipeline in place of the method, carrying its metadata, so that @UseGuards on it apply before validation. */
  private guarded(
    method: ToolMethod,
    tool: () => RegisteredTool,
    instance: object,
  ): (given: unknown, call: ToolCall) => Promise<object> {
    const run = (given: unknown, call: ToolCall) =>
      this.pipeline.run(tool(), method.bind(instance), given, call);
    // Guards look at the handler's name and metadata; both must be those of the method they were written for.
    Object.defineProperty(run, 'name', { value: method.name });
    for (const key of Reflect.getMetadataKeys(method)) {
      Reflect.defineMetadata(key, Reflect.getMetadata(key, method), run);
    }
    return run;
  }
}

function firstParameter(instance: object, method: string, place: string): DtoClass {
  const types = Reflect.getMetadata('design:paramtypes', instance, method) as
    DtoClass[] | undefined;
  const input = types?.[0];
  if (!input || (input as unknown) === Object) {
    throw new Error(`${place}: its first parameter must be a class, or @Tool must name one.`);
  }
  return input;
}

function describe(options: ToolOptions, input: DtoClass): ToolDescriptor {
  const readOnly = options.readOnly ?? false;
  return {
    name: options.name,
    title: options.title,
    description: options.description,
    inputSchema: dtoSchema(input),
    outputSchema: dtoSchema(options.output),
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: !readOnly && (options.destructive ?? false),
      idempotentHint: readOnly || (options.idempotent ?? false),
      openWorldHint: options.external ?? false,
    },
  };
}

/** Guards speak Nest's HTTP exceptions; callers of tools get the codes that the contract names. */
function fromGuard(error: unknown): unknown {
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

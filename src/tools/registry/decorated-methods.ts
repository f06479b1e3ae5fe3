import 'reflect-metadata';
import { ForbiddenException, HttpException, Injectable } from '@nestjs/common';
import { GUARDS_METADATA, INTERCEPTORS_METADATA } from '@nestjs/common/internal';
import {
  type ApplicationConfig,
  type DiscoverableDecorator,
  DiscoveryService,
  ExternalContextCreator,
  MetadataScanner,
} from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { AppError } from '../../errors/app-error.js';
import type { SchemaClass } from '../schema/class-schema.js';

/** Calls a method with its `this`. The arguments are the input and the {@link ToolCall}. */
export type BoundMethod = (input: unknown, call: unknown) => Promise<unknown>;

export interface DecoratedMethod<Options> {
  readonly options: Options;
  /** The class and the method in error messages, for example `ContactTools.search`. */
  readonly place: string;
  readonly instance: object;
  readonly type: object;
  readonly name: string;
  readonly run: BoundMethod;
  /**
   * True if Nest creates the class-based guards and interceptors of the method. Nest does so for class providers only.
   */
  readonly hasInjectedEnhancers: boolean;
}

/** The private application config of ExternalContextCreator. Nest has no public API for the global guards. */
interface WithConfig {
  container?: { applicationConfig?: ApplicationConfig };
}

/** Finds the methods with a given decorator in all modules, and puts their guards and interceptors around them. */
@Injectable()
export class DecoratedMethods {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly contexts: ExternalContextCreator,
  ) {}

  /**
   * Finds the decorated methods of every provider: classes, and instances from `useFactory` and `useValue`. An instance
   * that several tokens provide is found once. Throws for a request-scoped provider.
   */
  find<Options>(decorator: DiscoverableDecorator<Options>): DecoratedMethod<Options>[] {
    const providers = this.discovery.getProviders();
    const seen = new Set<object>();
    // Classes come first, because Nest creates guards and interceptors only for them.
    return [
      ...providers.filter((provider) => !provider.isNotMetatype),
      ...providers.filter((provider) => provider.isNotMetatype),
    ].flatMap((provider) => {
      const methods = [...this.methodsOf(provider, decorator)];
      const isRepeated = seen.has(provider.instance as object);
      seen.add(provider.instance as object);
      return isRepeated ? [] : methods;
    });
  }

  /**
   * Adds the guards and interceptors of the method. `kind` is their context type. Throws if Nest would omit one of
   * them.
   */
  guarded<Run extends (...given: never[]) => Promise<unknown>>(
    method: DecoratedMethod<unknown>,
    run: Run,
    kind: string,
  ): Run {
    const original = (method.instance as Record<string, object>)[method.name]!;
    Object.defineProperty(run, 'name', { value: method.name });
    for (const key of Reflect.getMetadataKeys(original)) {
      Reflect.defineMetadata(key, Reflect.getMetadata(key, original), run);
    }
    const targets = [method.type, method.instance.constructor, original];
    assertEnhancers(method, targets);
    // The context of Nest makes about ten promises for each call, even without guards and interceptors.
    if (!this.isEnhanced(targets)) return run;
    return this.contexts.create(
      method.instance,
      run as unknown as (...given: unknown[]) => unknown,
      method.name,
      undefined,
      undefined,
      undefined,
      undefined,
      { guards: true, interceptors: true, filters: false },
      kind,
    ) as unknown as Run;
  }

  private *methodsOf<Options>(
    provider: InstanceWrapper,
    decorator: DiscoverableDecorator<Options>,
  ): Generator<DecoratedMethod<Options>> {
    const prototype = prototypeOf(provider);
    if (!prototype) return;
    const type = provider.isNotMetatype ? prototype.constructor : (provider.metatype as object);
    for (const name of this.scanner.getAllMethodNames(prototype)) {
      const decorated = (prototype as Record<string, object>)[name]!;
      const options = Reflect.getOwnMetadata(decorator.KEY, decorated) as Options | undefined;
      if (options === undefined) continue;
      const place = `${(type as { name?: string }).name}.${name}`;
      if (!provider.isDependencyTreeStatic()) {
        throw new Error(
          `${place}: a request-scoped provider cannot answer callers. Remove the scope from it and from what it injects.`,
        );
      }
      const instance = provider.instance as Record<string, BoundMethod>;
      const run = instance[name]!.bind(instance);
      const hasInjectedEnhancers = !provider.isNotMetatype;
      yield { options, place, instance, type, name, run, hasInjectedEnhancers };
    }
  }

  private isEnhanced(targets: readonly object[]): boolean {
    const config = (this.contexts as unknown as WithConfig).container?.applicationConfig;
    if (!config) return true;
    const globals = [
      config.getGlobalGuards(),
      config.getGlobalRequestGuards(),
      config.getGlobalInterceptors(),
      config.getGlobalRequestInterceptors(),
    ];
    return globals.some(({ length }) => length > 0) || enhancersOf(targets).length > 0;
  }
}

/** Returns the prototype of a Nest provider. Returns undefined for a value without methods, such as a string. */
function prototypeOf(provider: InstanceWrapper): object | undefined {
  const { isNotMetatype, metatype, token } = provider;
  if (!isNotMetatype) return (metatype as { prototype?: object }).prototype;
  const instance: unknown = provider.instance;
  if (typeof instance === 'object' && instance !== null) {
    return (Object.getPrototypeOf(instance) as object | null) ?? undefined;
  }
  // A request-scoped factory has no instance yet. Its token may be the class of the later instances.
  return typeof token === 'function' ? (token as { prototype?: object }).prototype : undefined;
}

function enhancersOf(targets: readonly object[]): unknown[] {
  return targets.flatMap((target) =>
    [GUARDS_METADATA, INTERCEPTORS_METADATA].flatMap(
      (key) => (Reflect.getMetadata(key, target) as unknown[] | undefined) ?? [],
    ),
  );
}

/** Throws for guards that Nest would silently omit, for example on a tool from `useFactory`. */
function assertEnhancers(
  { hasInjectedEnhancers, place, type }: DecoratedMethod<unknown>,
  targets: readonly object[],
): void {
  const classes = enhancersOf(targets).filter((enhancer) => typeof enhancer === 'function');
  if (hasInjectedEnhancers || classes.length === 0) return;
  const names = [...new Set(classes.map(({ name }) => name))].join(', ');
  throw new Error(
    `${place}: Nest creates guards and interceptors (${names}) only for a provider that is a class. List ` +
      `${(type as { name: string }).name} itself under providers, or name instances of them in the decorators.`,
  );
}

/** Returns the class of the first parameter of a method. Throws if TypeScript emitted no class for this parameter. */
export function firstParameter({ instance, name, place }: DecoratedMethod<unknown>): SchemaClass {
  const types = Reflect.getMetadata('design:paramtypes', instance, name) as
    SchemaClass[] | undefined;
  const input = types?.[0];
  if (!input || (input as unknown) === Object) {
    throw new Error(
      `${place}: its first parameter must be a class, or the decorator must name one under input. ` +
        'An `import type` of the class leaves no class at run time: use `import`.',
    );
  }
  return input;
}

const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Throws at boot if the text is not a valid name. `what` is, for example, `a tool`. */
export function assertName(what: string, name: string, place: string): void {
  if (NAME.test(name)) return;
  throw new Error(`${place}: "${name}" is not a valid name for ${what} (${NAME.source}).`);
}

/**
 * Throws at boot if two of the found methods have a name in common. The error message names the places of both methods.
 */
export function assertUnique<Found extends { place: string }>(
  what: string,
  all: readonly Found[],
  namesOf: (found: Found) => readonly string[],
): void {
  const places = new Map<string, string>();
  for (const found of all) {
    for (const name of namesOf(found)) {
      const other = places.get(name);
      if (other === found.place) {
        const [provider] = other.split('.');
        throw new Error(
          `The ${what} ${name} is registered twice: list ${provider} under providers of one module only.`,
        );
      }
      if (other) {
        throw new Error(
          `Two ${what}s are called ${name}: ${other} and ${found.place}. Rename or remove one of them.`,
        );
      }
      places.set(name, found.place);
    }
  }
}

/** Converts HTTP exceptions of guards to {@link AppError}. `what` is the kind of method, such as `tool`. */
export function fromHttpException(error: unknown, what: string): unknown {
  if (!(error instanceof HttpException)) return error;
  const status = error.getStatus();
  if (error instanceof ForbiddenException || status === 401) {
    return new AppError(
      'forbidden',
      `You may not call this ${what}. Ask an owner of your organization, or the team that provides it.`,
      { cause: error },
    );
  }
  if (status === 429) {
    return new AppError('rate_limited', 'Too many calls. Try again later.', { cause: error });
  }
  if (status >= 500) return error;
  const message = `This ${what} refused the call with HTTP status ${status}. Ask the team that provides it what a call must contain.`;
  return new AppError('invalid_arguments', message, { cause: error });
}

import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import {
  type DiscoverableDecorator,
  DiscoveryService,
  ExternalContextCreator,
  MetadataScanner,
} from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { isEnhanced } from './enhancers.js';
import type { DtoClass } from '../schema/dto-schema.js';

/** A method that answers calls, with the `this` that it needs. */
export type BoundMethod = (given: unknown, call: unknown) => Promise<unknown>;

/** A method of a provider that carries one of our decorators. */
export interface DecoratedMethod<Options> {
  readonly options: Options;
  /** `ContactTools.search`: for messages about it. */
  readonly place: string;
  readonly instance: object;
  readonly type: object;
  readonly name: string;
  /** The method itself, without guards. */
  readonly run: BoundMethod;
}

/** Finds the decorated methods of all modules, and puts the guards and interceptors around them that they name. */
@Injectable()
export class DecoratedMethods {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly contexts: ExternalContextCreator,
  ) {}

  /** Throws for a provider that is made per request: there is no request to make it for. */
  find<Options>(decorator: DiscoverableDecorator<Options>): DecoratedMethod<Options>[] {
    return this.discovery
      .getProviders()
      .flatMap((wrapper) => [...this.methodsOf(wrapper, decorator)]);
  }

  /**
   * `run` behind the guards and interceptors of the method. They see its name and its metadata, as those of the method
   * they were written for, and `kind` as the type of the execution context.
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
    // Nest makes some ten promises for each call, also where there is nothing to put around it.
    const classes = [method.type, method.instance.constructor];
    if (!isEnhanced(this.contexts, classes, original)) return run;
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
    wrapper: InstanceWrapper,
    decorator: DiscoverableDecorator<Options>,
  ): Generator<DecoratedMethod<Options>> {
    if (!wrapper.metatype || wrapper.inject) return;
    const prototype = (wrapper.metatype as { prototype?: object }).prototype;
    if (!prototype) return;
    for (const name of this.scanner.getAllMethodNames(prototype)) {
      const options = this.discovery.getMetadataByDecorator(decorator, wrapper, name);
      if (options === undefined) continue;
      const place = `${wrapper.name}.${name}`;
      if (!wrapper.isDependencyTreeStatic()) {
        throw new Error(`${place}: what answers callers cannot live in a request-scoped provider.`);
      }
      const instance = wrapper.instance as Record<string, BoundMethod>;
      const run = instance[name]!.bind(instance);
      yield { options, place, instance, type: wrapper.metatype, name, run };
    }
  }
}

/** The class of a method's first parameter; throws where TypeScript left no class to find. */
export function firstParameter({ instance, name, place }: DecoratedMethod<unknown>): DtoClass {
  const types = Reflect.getMetadata('design:paramtypes', instance, name) as DtoClass[] | undefined;
  const input = types?.[0];
  if (!input || (input as unknown) === Object) {
    throw new Error(
      `${place}: its first parameter must be a class, or the decorator must name one under input. ` +
        'An `import type` of the class leaves nothing of it at run time: use `import`.',
    );
  }
  return input;
}

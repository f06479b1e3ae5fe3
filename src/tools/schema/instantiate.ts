import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import type { DtoClass } from './dto-schema.js';

/**
 * Makes instances of `dto`, and of the classes that its `@Type` decorators name, out of a value whose shape was checked
 * against the schema. Free-form objects stay the objects that were sent: plainToInstance would walk through them,
 * and break on a key called `constructor`.
 */
export function instantiate<T extends object>(dto: DtoClass<T>, value: object): T {
  const instance = new dto() as Record<string, unknown>;
  const given = value as Record<string, unknown>;
  for (const key of Object.keys(given)) {
    const item = given[key];
    instance[key] = isObject(item) ? instantiateEach(typeOf(dto, key), item) : item;
  }
  return instance as T;
}

function instantiateEach(dto: DtoClass | undefined, value: object): unknown {
  if (!dto) return value;
  if (!Array.isArray(value)) return instantiate(dto, value);
  return value.map((item: unknown) => (isObject(item) ? instantiateEach(dto, item) : item));
}

/** The class that `@Type` names for a property, if it does. */
function typeOf(dto: DtoClass, property: string): DtoClass | undefined {
  const type = defaultMetadataStorage.findTypeMetadata(dto, property)?.typeFunction?.();
  return type as DtoClass | undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import type { DtoClass } from './dto-schema.js';

/**
 * Makes instances of `dto`, and of the classes that its `@Type` decorators name, out of a value whose shape was checked
 * against the schema. Free-form objects stay the objects that were sent: plainToInstance would walk through them,
 * and break on a key called `constructor`.
 */
export function instantiate<T extends object>(dto: DtoClass<T>, value: object): T {
  const instance = new dto() as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) {
    const nested = defaultMetadataStorage.findTypeMetadata(dto, key)?.typeFunction?.();
    instance[key] = nested ? instantiateEach(nested as DtoClass, item) : item;
  }
  return instance as T;
}

function instantiateEach(dto: DtoClass, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => instantiateEach(dto, item));
  return typeof value === 'object' && value !== null ? instantiate(dto, value) : value;
}

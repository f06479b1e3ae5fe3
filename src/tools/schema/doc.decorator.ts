import 'reflect-metadata';

const DOC = Symbol('switchboard doc');
const NULLABLE = Symbol('switchboard nullable');

interface FieldDoc {
  description: string;
  examples?: unknown[];
}

/** Describes a field to agents and people. The text becomes `description` in the JSON Schema. */
export function Doc(
  description: string,
  more: Omit<FieldDoc, 'description'> = {},
): PropertyDecorator {
  return Reflect.metadata(DOC, { description, ...more } satisfies FieldDoc);
}

/** Allows null as a value of the field, for "clear this value". Otherwise a null in an optional field counts as absent. */
export function Nullable(): PropertyDecorator {
  return Reflect.metadata(NULLABLE, true);
}

export function docOf(prototype: object, property: string): FieldDoc | undefined {
  return Reflect.getMetadata(DOC, prototype, property) as FieldDoc | undefined;
}

export function isNullable(prototype: object, property: string): boolean {
  return Reflect.getMetadata(NULLABLE, prototype, property) === true;
}

import 'reflect-metadata';

const DOC = Symbol('switchboard doc');
const NULLABLE = Symbol('switchboard nullable');

export interface FieldDoc {
  description: string;
  examples?: unknown[];
}

/** Describes a field to agents and people. The text becomes `description` in the JSON Schema. */
export function Doc(description: string, more: Omit<FieldDoc, 'description'> = {}) {
  return (target: object, property: string): void => {
    Reflect.defineMetadata(DOC, { description, ...more } satisfies FieldDoc, target, property);
  };
}

/** Allows null as a value of the field, for "clear this value". Without it a null of an optional field counts as absent. */
export function Nullable() {
  return (target: object, property: string): void => {
    Reflect.defineMetadata(NULLABLE, true, target, property);
  };
}

export function docOf(prototype: object, property: string): FieldDoc | undefined {
  return Reflect.getMetadata(DOC, prototype, property) as FieldDoc | undefined;
}

export function isNullable(prototype: object, property: string): boolean {
  return Reflect.getMetadata(NULLABLE, prototype, property) === true;
}

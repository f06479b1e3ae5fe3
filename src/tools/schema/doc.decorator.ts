import 'reflect-metadata';
import { ValidateIf } from 'class-validator';

const DOC = Symbol('switchboard doc');
const NULLABLE = Symbol('switchboard nullable');

export interface FieldDoc {
  description: string;
  examples?: unknown[];
}

/** Describes a field to agents and people; the text becomes `description` in the JSON Schema. */
export function Doc(description: string, more: Omit<FieldDoc, 'description'> = {}) {
  return (target: object, property: string): void => {
    Reflect.defineMetadata(DOC, { description, ...more } satisfies FieldDoc, target, property);
  };
}

/** Lets a field be null and keeps the null, where `@IsOptional` alone drops it: for "clear this value". */
export function Nullable() {
  return (target: object, property: string): void => {
    ValidateIf((_object, value) => value !== null)(target, property);
    Reflect.defineMetadata(NULLABLE, true, target, property);
  };
}

export function docOf(prototype: object, property: string): FieldDoc | undefined {
  return Reflect.getMetadata(DOC, prototype, property) as FieldDoc | undefined;
}

export function isNullable(prototype: object, property: string): boolean {
  return Reflect.getMetadata(NULLABLE, prototype, property) === true;
}

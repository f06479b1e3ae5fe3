import { isObject } from '../api/reader.js';
import type { Schema } from './schema.js';

/** Holds the text that a person has typed into the field of one argument, even if it is not a valid value yet. */
export type Draft =
  | { kind: 'text'; text: string }
  | { kind: 'list'; items: readonly Draft[] }
  | { kind: 'group'; members: ReadonlyMap<string, Draft> };

/** The kind of field for an argument. */
export type FieldKind = 'text' | 'number' | 'choice' | 'flag' | 'json' | 'list' | 'group';

/** Returns the kind of field for a schema. Every schema has a kind, because `readSchema` refuses other schemas. */
export function fieldKind(schema: Schema): FieldKind {
  if (schema.enum) return 'choice';
  switch (schema.type) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'flag';
    case 'object':
      return schema.properties ? 'group' : 'json';
    case 'array':
      // A list of objects without declared properties is written as JSON.
      return schema.items && fieldKind(schema.items) !== 'json' ? 'list' : 'json';
  }
}

/** Returns the draft of a value. Without a value the draft is empty. */
export function draftOf(schema: Schema, value: unknown): Draft {
  switch (fieldKind(schema)) {
    case 'list': {
      const items = Array.isArray(value) && schema.items ? value : [];
      return { kind: 'list', items: items.map((item: unknown) => itemDraft(schema, item)) };
    }
    case 'group': {
      const given = isObject(value) ? value : {};
      const members = [...(schema.properties ?? [])].map(
        ([name, inner]) => [name, draftOf(inner, given[name])] as const,
      );
      return { kind: 'group', members: new Map(members) };
    }
    case 'json':
      return { kind: 'text', text: isAbsent(value) ? '' : JSON.stringify(value, null, 2) };
    default:
      return { kind: 'text', text: isAbsent(value) ? '' : scalarText(value) };
  }
}

/** Returns the draft of an entry of a list. Without a value, returns the draft of a new entry, which is empty. */
export function itemDraft(schema: Schema, value?: unknown): Draft {
  return schema.items ? draftOf(schema.items, value) : { kind: 'text', text: '' };
}

function scalarText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

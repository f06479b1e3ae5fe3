import type { Fault } from '../api/api-error.js';
import { type Draft, fieldKind } from './draft.js';
import type { Schema } from './schema.js';

/** The reason why a text is not a value of its type. `SchemaForm` translates the reason. */
export type DraftFault = 'required' | 'number' | 'integer' | 'json' | 'json_object' | 'json_list';

export interface ReadDraft {
  /** The value of the argument. Undefined when the argument is absent. */
  value: unknown;
  faults: readonly (Fault & { message: DraftFault })[];
}

export interface ReadOptions {
  /** True when numbers may be expressions such as `{{ trigger.seats }}`, which are evaluated when a step runs. */
  allowsExpressions?: boolean;
}

/**
 * Reads the arguments from the texts that a person has typed. Reports missing arguments and values of the wrong type.
 * The service checks everything else.
 */
export function readDraft(
  schema: Schema,
  draft: Draft,
  options: ReadOptions = {},
  path = '',
  isRequired = true,
): ReadDraft {
  if (draft.kind === 'group') return readGroup(schema, draft.members, options, path, isRequired);
  if (draft.kind === 'list') return readList(schema, draft.items, options, path, isRequired);
  if (draft.text.trim() === '') {
    // An empty text is a value only for a required argument that may be empty.
    if (isRequired && fieldKind(schema) === 'text' && !schema.minLength) {
      return { value: draft.text, faults: [] };
    }
    return { value: undefined, faults: isRequired ? [{ path, message: 'required' }] : [] };
  }
  return readText(schema, draft.text, options, path);
}

function readText(schema: Schema, text: string, options: ReadOptions, path: string): ReadDraft {
  const wrong = (message: DraftFault): ReadDraft => ({
    value: undefined,
    faults: [{ path, message }],
  });
  switch (fieldKind(schema)) {
    case 'number': {
      if (options.allowsExpressions && text.includes('{{')) return { value: text, faults: [] };
      const value = Number(text.trim());
      if (!Number.isFinite(value)) return wrong('number');
      return schema.type === 'integer' && !Number.isInteger(value)
        ? wrong('integer')
        : { value, faults: [] };
    }
    case 'flag':
      return { value: text === 'true', faults: [] };
    case 'choice':
      return { value: schema.enum?.find((each) => String(each) === text) ?? text, faults: [] };
    case 'json': {
      const value = parseJson(text);
      if (value === undefined) return wrong('json');
      if (schema.type === 'array')
        return Array.isArray(value) ? { value, faults: [] } : wrong('json_list');
      const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
      return isGroup ? { value, faults: [] } : wrong('json_object');
    }
    default:
      return { value: text, faults: [] };
  }
}

function readGroup(
  schema: Schema,
  members: ReadonlyMap<string, Draft>,
  options: ReadOptions,
  path: string,
  isRequired: boolean,
): ReadDraft {
  const read = [...members].flatMap(([name, draft]) => {
    const inner = schema.properties?.get(name);
    if (!inner) return [];
    const at = path ? `${path}.${name}` : name;
    return [{ name, ...readDraft(inner, draft, options, at, schema.required.has(name)) }];
  });
  const given = read.filter(({ value }) => value !== undefined);
  // An optional group without any typed text is absent, even if it has required members.
  if (!isRequired && given.length === 0 && !read.some(hasWrongText)) {
    return { value: undefined, faults: [] };
  }
  return {
    value: Object.fromEntries(given.map(({ name, value }) => [name, value])),
    faults: read.flatMap(({ faults }) => faults),
  };
}

function hasWrongText({ faults }: ReadDraft): boolean {
  return faults.some(({ message }) => message !== 'required');
}

function readList(
  schema: Schema,
  items: readonly Draft[],
  options: ReadOptions,
  path: string,
  isRequired: boolean,
): ReadDraft {
  const { items: inner } = schema;
  if (!inner || (items.length === 0 && !isRequired)) return { value: undefined, faults: [] };
  const read = items.map((draft, index) => readDraft(inner, draft, options, `${path}[${index}]`));
  return { value: read.map(({ value }) => value), faults: read.flatMap(({ faults }) => faults) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

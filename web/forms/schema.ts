import { isObject } from '../api/reader.js';

type Type = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';
const TYPES: readonly Type[] = ['string', 'number', 'integer', 'boolean', 'object', 'array'];

/**
 * Describes the JSON Schema of one argument, as the registry of the service writes it
 * (`src/tools/schema/json-schema.ts`).
 */
export interface Schema {
  type: Type;
  isNullable: boolean;
  title?: string;
  description?: string;
  format?: string;
  enum?: readonly (string | number | boolean)[];
  default?: unknown;
  examples?: readonly unknown[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  items?: Schema;
  properties?: ReadonlyMap<string, Schema>;
  required: ReadonlySet<string>;
}

/** Reads a schema. Throws for a schema that this form cannot draw. A test draws every registered tool. */
export function readSchema(given: unknown, path = ''): Schema {
  if (!isObject(given)) throw new Error(`${path} is not a schema.`);
  const types = Array.isArray(given.type) ? given.type : [given.type];
  const known = TYPES.filter((type) => types.includes(type));
  const [type] = known;
  if (type === undefined || known.length > 1) {
    throw new Error(`${path} has the type ${JSON.stringify(given.type)}, which has no form field.`);
  }
  const { properties, items, required } = given;
  return {
    type,
    isNullable: types.includes('null'),
    ...texts(given),
    ...limits(given),
    ...(Array.isArray(given.enum) && { enum: given.enum.filter(isScalar) }),
    ...(given.default !== undefined && { default: given.default }),
    ...(Array.isArray(given.examples) && { examples: given.examples }),
    ...(items !== undefined && { items: readSchema(items, `${path}[]`) }),
    ...(isObject(properties) && {
      properties: new Map(
        Object.entries(properties).map(([name, inner]) => [
          name,
          readSchema(inner, path ? `${path}.${name}` : name),
        ]),
      ),
    }),
    required: new Set(Array.isArray(required) ? required.filter(isText) : []),
  };
}

function texts(given: Record<string, unknown>): Pick<Schema, 'title' | 'description' | 'format'> {
  return pick(given, ['title', 'description', 'format'], isText);
}

type Limit = 'minLength' | 'maxLength' | 'minimum' | 'maximum' | 'maxItems';

function limits(given: Record<string, unknown>): Pick<Schema, Limit> {
  const names = ['minLength', 'maxLength', 'minimum', 'maximum', 'maxItems'] as const;
  return pick(given, names, (value) => typeof value === 'number');
}

function pick<Name extends string, T>(
  given: Record<string, unknown>,
  names: readonly Name[],
  fits: (value: unknown) => value is T,
): Partial<Record<Name, T>> {
  const found: Partial<Record<Name, T>> = {};
  for (const name of names) {
    const value = given[name];
    if (fits(value)) found[name] = value;
  }
  return found;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

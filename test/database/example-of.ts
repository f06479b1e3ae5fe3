/** Lists the keywords of JSON Schema that `exampleOf` supports. */
export interface FieldSchema {
  type?: string | string[];
  enum?: unknown[];
  examples?: unknown[];
  default?: unknown;
  minLength?: number;
  minimum?: number;
  minItems?: number;
  pattern?: string;
  format?: string;
  items?: FieldSchema;
  properties?: Record<string, FieldSchema>;
  required?: string[];
}

/** Returns a value that matches the schema. Throws when it cannot create one, so that every tool is tested. */
export function exampleOf(schema: FieldSchema, path: string): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.examples?.length) return schema.examples[0];
  if (schema.enum) return schema.enum[0];
  if (schema.pattern) throw unguessable(path, `the pattern ${schema.pattern}`);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return textOf(schema, path);
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return false;
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, (_, index) =>
        exampleOf(schema.items ?? {}, `${path}[${index}]`),
      );
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [
          name,
          exampleOf(schema.properties?.[name] ?? {}, `${path}.${name}`),
        ]),
      );
    default:
      throw unguessable(path, `the type ${type}`);
  }
}

function textOf(schema: FieldSchema, path: string): string {
  switch (schema.format) {
    case undefined:
      return 'example'.padEnd(schema.minLength ?? 0, '-');
    case 'email':
      return 'example@example.com';
    case 'uri':
      return 'https://example.com/';
    case 'date-time':
      return '2099-01-01T00:00:00Z';
    default:
      throw unguessable(path, `the format ${schema.format}`);
  }
}

function unguessable(path: string, what: string): Error {
  return new Error(`No example for ${path} (${what}): add it to ARGUMENTS in tool-arguments.ts.`);
}

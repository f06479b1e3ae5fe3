import { fingerprint } from '../../../text/canonical-json.js';
import type { RegisteredTool, ToolDescriptor } from '../../../tools/registry/registered-tool.js';
import type { JsonSchema } from '../../../tools/schema/json-schema.js';

/** The SHA-256 hashes of the argument schema and of the output schema of a tool, in hexadecimal. */
export interface SchemaHashes {
  input: string;
  output: string;
}

/** The schema hashes of the tools that steps use, by the name of the tool. */
export type ToolSchemas = Record<string, SchemaHashes>;

/** Returns the tools for steps by current and deprecated names, so that saved definitions keep working. */
export function stepToolsOf(tools: readonly RegisteredTool[]): Map<string, ToolDescriptor> {
  const steps = tools.filter(({ surfaces }) => surfaces.has('workflow'));
  return new Map(
    steps.flatMap(({ names, descriptor }) => names.map((name) => [name, descriptor] as const)),
  );
}

/** Returns hashes of the schemas without their titles, descriptions and examples. */
export function schemaHashes({ inputSchema, outputSchema }: ToolDescriptor): SchemaHashes {
  return { input: hash(inputSchema), output: hash(outputSchema) };
}

function hash(schema: JsonSchema | undefined): string {
  return fingerprint(schema ? withoutTexts(schema) : null).toString('hex');
}

/** Removes the texts of a schema, because they change often and no step depends on them. */
function withoutTexts(schema: JsonSchema): JsonSchema {
  const { title: _title, description: _description, examples: _examples, ...rest } = schema;
  const { properties, items, additionalProperties } = rest;
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, withoutTexts(inner)]),
      ),
    }),
    ...(items && { items: withoutTexts(items) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: withoutTexts(additionalProperties),
    }),
  };
}

/** Returns false when the schema shows that the value of a step (see `stepVariable`) never has a member at `path`. */
export function canHaveMember(output: JsonSchema, path: readonly string[]): boolean {
  const [first] = path;
  if (first === undefined || hasMember(output, path)) return true;
  if (Object.hasOwn(output.properties ?? {}, first)) return false;
  // Expressions can read the fields of the only resource of a result directly.
  return Object.values(output.properties ?? {}).some(
    (member) => canBeResource(member) && hasMember(member, path),
  );
}

function canBeResource(schema: JsonSchema): boolean {
  return isOpen(schema) || Object.hasOwn(schema.properties ?? {}, 'id');
}

function hasMember(schema: JsonSchema, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  const types = [schema.type ?? []].flat();
  if (types.includes('array')) {
    if (first === 'size') return true;
    return (
      (/^-?\d+$/.test(first) || first === 'first' || first === 'last') &&
      hasMember(schema.items ?? {}, rest)
    );
  }
  if (types.includes('object') || types.length === 0) {
    const known = schema.properties ?? {};
    if (Object.hasOwn(known, first)) return hasMember(known[first]!, rest);
    return isOpen(schema);
  }
  return types.includes('string') && first === 'size';
}

/** Returns true when a value may have members that the schema does not define. */
function isOpen(schema: JsonSchema): boolean {
  const types = [schema.type ?? []].flat();
  return (types.length === 0 || types.includes('object')) && schema.additionalProperties !== false;
}

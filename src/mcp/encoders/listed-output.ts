import type { JsonSchema, ObjectSchema } from '../../tools/schema/json-schema.js';

/**
 * What `tools/list` says of a result: its members, and not what is inside of them. Contacts, messages, workflows and runs
 * are in the results of many tools; told with each, they would take most of the list, and every conversation of every
 * agent begins with the list. What they hold is told once, in the instructions, and by `GET /api/tools`.
 */
export function listedOutput(schema: ObjectSchema | undefined): ObjectSchema | undefined {
  if (!schema) return undefined;
  const { properties, additionalProperties: _, ...rest } = schema;
  const outlines = Object.entries(properties).map(([name, member]) => [name, outline(member)]);
  return { ...rest, properties: Object.fromEntries(outlines) as Record<string, JsonSchema> };
}

function outline(schema: JsonSchema): JsonSchema {
  const { properties, required: _, additionalProperties: __, items, ...rest } = schema;
  if (properties) return rest;
  return items ? { ...rest, items: outline(items) } : schema;
}

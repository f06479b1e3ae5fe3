import type { ToolDescriptor } from '../tools/registry/registered-tool.js';
import type { JsonSchema, ObjectSchema } from '../tools/schema/json-schema.js';

/**
 * Returns a registered tool as `tools/list` shows it: without `minLength: 1`, which took 3 of 100 tokens of the list that
 * every conversation begins with. A call with an empty text is refused all the same, and the error says so.
 */
export function listedTool(tool: ToolDescriptor): ToolDescriptor {
  return { ...tool, inputSchema: withoutFloors(tool.inputSchema) as ObjectSchema };
}

function withoutFloors({ minLength, properties, items, ...schema }: JsonSchema): JsonSchema {
  const members = Object.entries(properties ?? {}).map(([name, member]) => [
    name,
    withoutFloors(member),
  ]);
  return {
    ...schema,
    ...(minLength !== undefined && minLength !== 1 && { minLength }),
    ...(properties && { properties: Object.fromEntries(members) as typeof properties }),
    ...(items && { items: withoutFloors(items) }),
  };
}

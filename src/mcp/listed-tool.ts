import type { ToolDescriptor } from '../tools/registry/registered-tool.js';
import type { JsonSchema, ObjectSchema } from '../tools/schema/json-schema.js';

/**
 * Returns a registered tool as `tools/list` shows it: without `minLength: 1`. Every conversation begins with this
 * list, and `minLength: 1` took 3 % of its tokens. A call with an empty text is still refused, and the error says
 * why.
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

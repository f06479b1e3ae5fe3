import { fingerprint } from '../../../text/canonical-json.js';
import type { RegisteredTool, ToolDescriptor } from '../../../tools/registry/registered-tool.js';
import type { JsonSchema } from '../../../tools/schema/json-schema.js';

/** SHA-256 of what a tool takes and of what it returns, hexadecimal. */
export interface SchemaHashes {
  input: string;
  output: string;
}

/** Hashes by the name of the tool, as steps write it. */
export type ToolSchemas = Record<string, SchemaHashes>;

/** The tools that a step may name, by all their names: what was saved under a deprecated one goes on working. */
export function stepToolsOf(tools: readonly RegisteredTool[]): Map<string, ToolDescriptor> {
  const steps = tools.filter(({ surfaces }) => surfaces.has('workflow'));
  return new Map(
    steps.flatMap(({ names, descriptor }) => names.map((name) => [name, descriptor] as const)),
  );
}

/** Equal exactly for tools whose schemas say the same, whatever words they describe it with. */
export function schemaHashes({ inputSchema, outputSchema }: ToolDescriptor): SchemaHashes {
  return { input: hash(inputSchema), output: hash(outputSchema) };
}

function hash(schema: JsonSchema | undefined): string {
  return fingerprint(schema ? wordless(schema) : null).toString('hex');
}

/** The schema without what only people and models read: other words for it break nothing, and are changed often. */
function wordless(schema: JsonSchema): JsonSchema {
  const { title: _title, description: _description, examples: _examples, ...rest } = schema;
  const { properties, items, additionalProperties } = rest;
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, wordless(inner)]),
      ),
    }),
    ...(items && { items: wordless(items) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: wordless(additionalProperties),
    }),
  };
}

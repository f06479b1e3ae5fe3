import type { InputRequired } from '../../tools/contract/input-request.js';
import type { Icon } from '../../tools/contract/tool.decorator.js';
import type { ToolDescriptor } from '../../tools/registry/registered-tool.js';
import type { JsonSchema, ObjectSchema } from '../../tools/schema/json-schema.js';
import type { JsonObject } from '../json-rpc.js';

/** The time for which a client may cache a list: five minutes. */
export const LIST_MAX_AGE_MS = 300_000;

/** The members of list entries that some revisions do not have. */
export interface Listed {
  title?: string;
  icons?: readonly Icon[];
}

/**
 * Encodes the results of methods in one era, as JSON text. The result of a tool is encoded once for a call, though it appears
 * in up to two places.
 */
export interface EraEncoder {
  /** True if results of the era have `_meta`. */
  readonly hasMeta: boolean;
  toolList(tools: readonly ToolDescriptor[]): string;
  /** `json` is the JSON text of the object that the tool returned. */
  toolResult(json: string, meta?: JsonObject): string;
  /** `json` is the JSON text of the content blocks that the tool returned. */
  toolContent(json: string, meta?: JsonObject): string;
  /** `json` is the JSON text of the failure. */
  toolFailure(json: string, meta?: JsonObject): string;
  /** Encodes input requests in place of a result. */
  inputRequired(thrown: InputRequired): string;
  /** Encodes a result. `maxAgeMs` is the time for which its caller may cache it, in eras that have caching. */
  result(members: object, maxAgeMs?: number): string;
  /** Removes the members of a list entry that the era does not have. */
  entry<Entry extends Listed>(entry: Entry): object;
}

/** Encodes MCP content with one text block. */
export function textContent(text: string): string {
  return `[{"type":"text","text":${JSON.stringify(text)}}]`;
}

/**
 * Returns an output schema for `tools/list`: its members without their inner properties. Every conversation of every agent
 * begins with the list, and contacts, messages, workflows and runs in the results of many tools would take most of it. The
 * instructions and `GET /api/tools` describe them once.
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

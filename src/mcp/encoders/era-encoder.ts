import type { InputRequired } from '../../tools/contract/input-request.js';
import type { Icon } from '../../tools/contract/tool.decorator.js';
import type { ToolDescriptor } from '../../tools/registry/registered-tool.js';
import type { JsonSchema, ObjectSchema } from '../../tools/schema/json-schema.js';
import type { JsonObject } from '../json-rpc.js';

/** How long a client may keep what is listed: five minutes. */
export const LIST_MAX_AGE_MS = 300_000;

/** What the entry of a list may say of itself that some revisions do not know. */
export interface Listed {
  title?: string;
  icons?: readonly Icon[];
}

/**
 * How one era writes the results of its methods. Everything is JSON text: the list is encoded once, and the result of a
 * tool, which appears in up to two places, only once per call.
 */
export interface EraEncoder {
  /** Whether what is said about a result has a place beside it. */
  readonly hasMeta: boolean;
  toolList(tools: readonly ToolDescriptor[]): string;
  /** `json` is the JSON text of the object that the tool returned, `meta` what is said about it. */
  toolResult(json: string, meta?: JsonObject): string;
  /** `json` is the JSON text of the blocks that the tool returned instead of an object. */
  toolContent(json: string, meta?: JsonObject): string;
  /** `json` is the JSON text of what is told about the failure. */
  toolFailure(json: string, meta?: JsonObject): string;
  /** A question back, in place of a result. */
  inputRequired(question: InputRequired): string;
  /** A result of these members; `maxAgeMs` is how long its caller may keep it, where the era says so. */
  result(members: object, maxAgeMs?: number): string;
  /** The entry of a list of anything but tools, as far as the era knows its members. */
  entry<Entry extends Listed>(entry: Entry): object;
}

/** JSON text of the MCP content format: one text block. */
export function textContent(text: string): string {
  return `[{"type":"text","text":${JSON.stringify(text)}}]`;
}

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

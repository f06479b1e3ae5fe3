import type { InputRequired } from '../../tools/contract/input-request.js';
import type { Icon } from '../../tools/contract/tool.decorator.js';
import type { ToolDescriptor } from '../../tools/registry/registered-tool.js';
import type { JsonSchema, ObjectSchema } from '../../tools/schema/json-schema.js';
import type { LegacyVersion } from '../era.js';
import type { JsonObject } from '../json-rpc.js';

/** The time for which clients may cache a list: five minutes. */
export const LIST_MAX_AGE_MS = 300_000;

export interface Listed {
  title?: string;
  icons?: readonly Icon[];
}

/**
 * Encodes results as JSON text, for plain JSON-RPC and for each MCP revision, with the members that the revision adds.
 */
export class EraEncoder {
  readonly hasMeta: boolean;
  private readonly hasAnnotations: boolean;
  private readonly hasStructuredContent: boolean;
  private readonly hasTitles: boolean;
  private readonly hasIcons: boolean;

  constructor(version: LegacyVersion | '' = '') {
    this.hasMeta = version !== '';
    this.hasIcons = version >= '2025-11-25';
    this.hasAnnotations = version >= '2025-03-26';
    this.hasTitles = version >= '2025-06-18';
    this.hasStructuredContent = version >= '2025-06-18';
  }

  toolList(all: readonly ToolDescriptor[]): string {
    const tools = all.map((tool) => ({
      name: tool.name,
      ...(this.hasTitles && { title: tool.title }),
      description: tool.description,
      inputSchema: tool.inputSchema,
      ...(this.hasStructuredContent && { outputSchema: listedOutput(tool.outputSchema) }),
      ...(this.hasAnnotations && { annotations: listedAnnotations(tool.annotations) }),
      ...(this.hasIcons && { icons: tool.icons }),
    }));
    return this.result({ tools }, LIST_MAX_AGE_MS);
  }

  /** Encodes the result of a tool. `json` is the JSON text of the object that the tool returned. */
  toolResult(json: string, meta?: JsonObject): string {
    const structured = this.hasStructuredContent ? `,"structuredContent":${json}` : '';
    return `{"content":${textContent(json)}${structured}${this.end(meta)}`;
  }

  /** Encodes content blocks. `json` is the JSON text of the blocks that the tool returned. */
  toolContent(json: string, meta?: JsonObject): string {
    return `{"content":${json}${this.end(meta)}`;
  }

  /**
   * Encodes a failure. The result has no structuredContent, because structuredContent must conform to the outputSchema
   * of a success.
   */
  toolFailure(json: string, meta?: JsonObject): string {
    return `{"content":${textContent(json)},"isError":true${this.end(meta)}`;
  }

  inputRequired(_thrown: InputRequired): string {
    throw new Error(
      'A caller that uses a revision before MCP 2026-07-28 cannot receive input requests.',
    );
  }

  /** Encodes a result. In eras with caching, the caller may cache it for `maxAgeMs`. */
  result(members: object, _maxAgeMs?: number): string {
    return JSON.stringify(members);
  }

  /**
   * Removes members that the era does not have. Plain callers may be clients that know only revision 2025-03-26 and
   * earlier.
   */
  entry(entry: Listed): object {
    return {
      ...entry,
      title: this.hasTitles ? entry.title : undefined,
      icons: this.hasIcons ? entry.icons : undefined,
    };
  }

  protected end(meta: JsonObject | undefined): string {
    return this.hasMeta && meta ? `,"_meta":${JSON.stringify(meta)}}` : '}';
  }
}

function textContent(text: string): string {
  return `[{"type":"text","text":${JSON.stringify(text)}}]`;
}

/**
 * Returns an output schema without inner properties. Inner properties would be most of `tools/list`, with which every
 * conversation begins. The instructions of the server describe the inner properties once.
 */
export function listedOutput(schema: ObjectSchema | undefined): ObjectSchema | undefined {
  if (!schema) return undefined;
  const { properties, additionalProperties: _, ...rest } = schema;
  const outlines = Object.entries(properties).map(([name, member]) => [name, outline(member)]);
  return { ...rest, properties: Object.fromEntries(outlines) as Record<string, JsonSchema> };
}

/**
 * Leaves out `idempotentHint` where its value is the default of MCP, and in tools that only read, where it means
 * nothing.
 */
function listedAnnotations({
  idempotentHint,
  ...hints
}: ToolDescriptor['annotations']): Partial<ToolDescriptor['annotations']> {
  return idempotentHint && !hints.readOnlyHint ? { ...hints, idempotentHint } : hints;
}

function outline(schema: JsonSchema): JsonSchema {
  const { properties, required: _, additionalProperties: __, items, ...rest } = schema;
  if (properties) return rest;
  return items ? { ...rest, items: outline(items) } : schema;
}

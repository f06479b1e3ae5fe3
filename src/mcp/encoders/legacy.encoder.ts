import type { ToolDescriptor } from '../../tools/registry/registered-tool.js';
import type { LegacyVersion } from '../era.js';
import type { JsonObject } from '../json-rpc.js';
import { type EraEncoder, type Listed, listedOutput, textContent } from './era-encoder.js';

/** Encodes results of MCP 2024-11-05 to 2025-11-25: those of plain JSON-RPC with the additions of the revision. */
export class LegacyEncoder implements EraEncoder {
  readonly hasMeta = true;
  private readonly hasAnnotations: boolean;
  private readonly hasStructuredContent: boolean;
  private readonly hasTitles: boolean;
  private readonly hasIcons: boolean;

  constructor(version: LegacyVersion) {
    this.hasIcons = version >= '2025-11-25';
    this.hasAnnotations = version >= '2025-03-26';
    this.hasTitles = version >= '2025-06-18';
    this.hasStructuredContent = version >= '2025-06-18';
  }

  toolList(tools: readonly ToolDescriptor[]): string {
    return JSON.stringify({
      tools: tools.map((tool) => ({
        name: tool.name,
        ...(this.hasTitles && { title: tool.title }),
        description: tool.description,
        inputSchema: tool.inputSchema,
        ...(this.hasStructuredContent && { outputSchema: listedOutput(tool.outputSchema) }),
        ...(this.hasAnnotations && { annotations: tool.annotations }),
        ...(this.hasIcons && { icons: tool.icons }),
      })),
    });
  }

  toolResult(json: string, meta?: JsonObject): string {
    const structured = this.hasStructuredContent ? `,"structuredContent":${json}` : '';
    return `{"content":${textContent(json)}${structured}${metaMember(meta)}}`;
  }

  toolContent(json: string, meta?: JsonObject): string {
    return `{"content":${json}${metaMember(meta)}}`;
  }

  // No structuredContent: it must conform to the outputSchema, which describes success only.
  toolFailure(json: string, meta?: JsonObject): string {
    return `{"content":${textContent(json)},"isError":true${metaMember(meta)}}`;
  }

  inputRequired(): never {
    throw new Error('A client before 2026-07-28 cannot receive input requests.');
  }

  result(members: object): string {
    return JSON.stringify(members);
  }

  entry(entry: Listed): object {
    return {
      ...entry,
      title: this.hasTitles ? entry.title : undefined,
      icons: this.hasIcons ? entry.icons : undefined,
    };
  }
}

function metaMember(meta: JsonObject | undefined): string {
  return meta ? `,"_meta":${JSON.stringify(meta)}` : '';
}

import type { ToolDescriptor } from '../../tools/registered-tool.js';
import type { LegacyVersion } from '../era.js';
import type { EraEncoder } from './era-encoder.js';
import { textContent } from './text-content.js';

/** MCP 2024-11-05 to 2025-11-25: what plain JSON-RPC gets, and what the named revision has added to it. */
export class LegacyEncoder implements EraEncoder {
  private readonly hasAnnotations: boolean;
  private readonly hasStructuredContent: boolean;

  constructor(version: LegacyVersion) {
    this.hasAnnotations = version >= '2025-03-26';
    this.hasStructuredContent = version >= '2025-06-18';
  }

  toolList(tools: readonly ToolDescriptor[]): string {
    return JSON.stringify({
      tools: tools.map(({ name, title, description, inputSchema, outputSchema, annotations }) => ({
        name,
        ...(this.hasStructuredContent && { title }),
        description,
        inputSchema,
        ...(this.hasStructuredContent && { outputSchema }),
        ...(this.hasAnnotations && { annotations }),
      })),
    });
  }

  toolResult(json: string): string {
    const { content } = textContent(json);
    return this.hasStructuredContent
      ? `{"content":${JSON.stringify(content)},"structuredContent":${json}}`
      : JSON.stringify({ content });
  }

  // No structuredContent: it would have to conform to the outputSchema, which describes success only.
  toolFailure(json: string): string {
    return JSON.stringify({ ...textContent(json), isError: true });
  }
}

import type { ToolDescriptor } from '../../tools/registered-tool.js';
import { MODERN_VERSIONS } from '../era.js';
import { INSTRUCTIONS, SERVER_INFO } from '../server-info.js';
import type { EraEncoder } from './era-encoder.js';
import { textContent } from './text-content.js';

/** What every result ends with: that it is one, and not a question back, and whose it is. */
const COMPLETE = {
  resultType: 'complete',
  _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO },
};
/** For answers that a client may keep: five minutes, and for this key only, as what is served may vary with it. */
const CACHEABLE = { ttlMs: 300_000, cacheScope: 'private' };

/** JSON text of the result of `server/discover`. */
export const DISCOVERY = JSON.stringify({
  supportedVersions: MODERN_VERSIONS,
  // No listChanged: the tools of a process never change, so there is nothing to subscribe to.
  capabilities: { tools: {} },
  instructions: INSTRUCTIONS,
  ...CACHEABLE,
  ...COMPLETE,
});

/** MCP 2026-07-28. */
export class ModernEncoder implements EraEncoder {
  private readonly completion = JSON.stringify(COMPLETE).slice(1);

  toolList(tools: readonly ToolDescriptor[]): string {
    return JSON.stringify({
      tools: tools.map(({ name, title, description, inputSchema, outputSchema, annotations }) => ({
        name,
        title,
        description,
        inputSchema,
        outputSchema,
        annotations,
      })),
      ...CACHEABLE,
      ...COMPLETE,
    });
  }

  toolResult(json: string): string {
    const { content } = textContent(json);
    return `{"content":${JSON.stringify(content)},"structuredContent":${json},${this.completion}`;
  }

  // No structuredContent: it would have to conform to the outputSchema, which describes success only.
  toolFailure(json: string): string {
    return JSON.stringify({ ...textContent(json), isError: true, ...COMPLETE });
  }
}

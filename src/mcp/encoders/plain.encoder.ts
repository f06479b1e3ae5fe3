import type { ToolDescriptor } from '../../tools/registry/registered-tool.js';
import { type EraEncoder, type Listed, textContent } from './era-encoder.js';

/** Encodes results of plain JSON-RPC 2.0, with only the members that the specification of the service names. */
export class PlainEncoder implements EraEncoder {
  readonly hasMeta = false;

  toolList(tools: readonly ToolDescriptor[]): string {
    return JSON.stringify({
      tools: tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema,
      })),
    });
  }

  toolResult(json: string): string {
    return `{"content":${textContent(json)}}`;
  }

  toolContent(json: string): string {
    return `{"content":${json}}`;
  }

  toolFailure(json: string): string {
    return `{"content":${textContent(json)},"isError":true}`;
  }

  inputRequired(): never {
    throw new Error('A plain caller cannot receive input requests.');
  }

  result(members: object): string {
    return JSON.stringify(members);
  }

  // As in 2025-03-26, because a caller of this era may be a client that has no later revision.
  entry(entry: Listed): object {
    return { ...entry, title: undefined, icons: undefined };
  }
}

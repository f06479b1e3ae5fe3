import type { ToolDescriptor } from '../../tools/registry/registered-tool.js';
import { type EraEncoder, type Listed, textContent } from './era-encoder.js';

/** Plain JSON-RPC 2.0: exactly the members that the specification of the service names, and no other. */
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
    throw new Error('A plain caller cannot be asked.');
  }

  result(members: object): string {
    return JSON.stringify(members);
  }

  // As in 2025-03-26: callers of this era may be clients that have not been told of later revisions.
  entry(entry: Listed): object {
    return { ...entry, title: undefined, icons: undefined };
  }
}

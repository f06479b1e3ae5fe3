import type { ToolDescriptor } from '../../tools/registered-tool.js';

/**
 * How one era writes the results of the tool methods. Everything is JSON text: the list is encoded once, and the
 * result of a tool, which appears in up to two places, only once per call.
 */
export interface EraEncoder {
  toolList(tools: readonly ToolDescriptor[]): string;
  /** `json` is the JSON text of the object that the tool returned. */
  toolResult(json: string): string;
  /** `json` is the JSON text of what is told about the failure. */
  toolFailure(json: string): string;
}

import type { InputRequired } from '../../tools/input-required.js';
import type { ToolDescriptor } from '../../tools/registered-tool.js';
import type { JsonObject } from '../json-rpc.js';

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
}

import type { Icon } from '../../tools/icon.js';
import type { InputRequired } from '../../tools/input-required.js';
import type { ToolDescriptor } from '../../tools/registered-tool.js';
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

import type { Icon } from '../tools/icon.js';
import type { BoundMethod } from '../tools/decorated-methods.js';
import type { NeededTools } from '../tools/needed-tools.js';

/** What callers may know of a prompt. Names as in the MCP specification, server/prompts. */
export interface PromptDescriptor {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description?: string; required: boolean }[];
  icons?: readonly Icon[];
}

export interface RegisteredPrompt {
  readonly descriptor: PromptDescriptor;
  readonly needs: NeededTools;
  /** Runs guards, interceptors, validation and the method. */
  readonly get: BoundMethod;
}

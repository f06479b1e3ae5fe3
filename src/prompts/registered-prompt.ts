import type { Icon } from '../tools/icon.js';
import type { BoundMethod } from '../tools/decorated-methods.js';

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
  /** All names of each tool that it needs. */
  readonly needs: readonly (readonly string[])[];
  /** Runs guards, interceptors, validation and the method. */
  readonly get: BoundMethod;
}

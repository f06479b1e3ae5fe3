import { DiscoveryService } from '@nestjs/core';
import type { ContentBlock, Icon } from '../tools/contract/tool.decorator.js';
import type { BoundMethod } from '../tools/registry/decorated-methods.js';
import type { RequiredTools } from '../tools/registry/registered-tool.js';

export interface PromptOptions {
  /** 1 to 64 of a-z, 0-9 and _, unique among prompts. */
  name: string;
  title: string;
  /** For the person who chooses it, and for the model that gets it. */
  description: string;
  icons?: readonly Icon[];
  /**
   * Tools whose work it shows or asks for. Organizations that have hidden one do not have the prompt, nor do those that
   * want calls confirmed of one that only reads: nobody is asked before a prompt is made.
   */
  needs?: readonly string[];
}

/**
 * Makes a method write messages for a model, that a person asks for by name. Its first parameter is a class whose fields,
 * all of them texts, are the arguments. It runs in a READ ONLY transaction and returns a `PromptResult`.
 */
export const Prompt = DiscoveryService.createDecorator<PromptOptions>();

export interface PromptMessage {
  role: 'user' | 'assistant';
  content: ContentBlock;
}

/** What a prompt was written to, with these arguments. */
export interface PromptResult {
  description?: string;
  messages: readonly PromptMessage[];
}

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
  readonly needs: RequiredTools;
  /** Runs guards, interceptors, validation and the method. */
  readonly get: BoundMethod;
}

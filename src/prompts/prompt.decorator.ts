import { DiscoveryService } from '@nestjs/core';
import type { ContentBlock, Icon } from '../tools/contract/tool.decorator.js';
import type { BoundMethod } from '../tools/registry/decorated-methods.js';
import type { RequiredTools } from '../tools/registry/registered-tool.js';

export interface PromptOptions {
  /** The name, which has 1 to 64 characters of a-z, 0-9 and _ and is unique among prompts. */
  name: string;
  title: string;
  /** A description of the prompt, for the person who chooses it and the model that gets it. */
  description: string;
  icons?: readonly Icon[];
  /**
   * The tools that the prompt tells the model to call, and the tools that return its data. The prompt is hidden when
   * one of these tools is hidden. It is also hidden when one of them only reads and needs a confirmation, because
   * nobody confirms a prompt.
   */
  needs?: readonly string[];
}

/**
 * Declares a method as a prompt: it returns messages for a model, and a person requests it by its name. The first
 * parameter of the method is a class whose fields are texts. The method runs in a READ ONLY transaction and returns a
 * `PromptResult`.
 */
export const Prompt = DiscoveryService.createDecorator<PromptOptions>();

export interface PromptMessage {
  role: 'user' | 'assistant';
  content: ContentBlock;
}

export interface PromptResult {
  description?: string;
  messages: readonly PromptMessage[];
}

/** A prompt as callers see it. The field names are those of the MCP specification, server/prompts. */
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

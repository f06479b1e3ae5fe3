import type { ContentBlock } from '../tools/tool-content.js';

export interface PromptMessage {
  role: 'user' | 'assistant';
  content: ContentBlock;
}

/** What a prompt was written to, with these arguments. */
export interface PromptResult {
  description?: string;
  messages: readonly PromptMessage[];
}

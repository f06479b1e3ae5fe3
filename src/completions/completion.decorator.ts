import { DiscoveryService } from '@nestjs/core';
import type { ToolCall } from '../tools/contract/tool-call.js';

/** Whose argument is completed: a prompt by its name, or resources by their template. */
export type CompletedArgument = { argument: string } & ({ prompt: string } | { resource: string });

export type CompletionOptions = CompletedArgument & {
  /** Tools that find the same. Nothing is proposed where one is hidden, or only reads and must be confirmed. */
  needs?: readonly string[];
};

/** The call that a method with `@Completion` gets. */
export interface CompletionCall extends ToolCall {
  /** Arguments that are filled in already. */
  readonly arguments: Readonly<Record<string, string>>;
}

/**
 * Makes a method propose values for an argument: it gets what was typed so far, at most 255 characters, and returns up to
 * 101 values, best first; the last one only shows that there are more. It runs in a READ ONLY transaction.
 */
export const Completion = DiscoveryService.createDecorator<CompletionOptions>();

/** Completions that are shown. A method asks for one more, which shows that there are more. */
export const MOST_COMPLETIONS = 100;

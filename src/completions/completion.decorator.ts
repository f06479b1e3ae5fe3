import { DiscoveryService } from '@nestjs/core';
import type { ToolCall } from '../tools/contract/tool-call.js';

/** An argument of a prompt, or a variable of a resource template. */
export type CompletedArgument = { argument: string } & ({ prompt: string } | { resource: string });

export type CompletionOptions = CompletedArgument & {
  /**
   * The tools that return the data from which the values come. Nothing is suggested when a policy hides one of these
   * tools. The same applies when one of these tools only reads data and a policy requires a confirmation for it.
   */
  needs?: readonly string[];
};

/** The second argument of a method with `@Completion`. */
export interface CompletionCall extends ToolCall {
  /** The arguments that already have a value. */
  readonly arguments: Readonly<Record<string, string>>;
}

/**
 * Declares a method that suggests values for an argument. The method gets the typed text of at most 255 characters and
 * returns up to 101 values, best first. The last of 101 values only shows that there are more. The method runs in a
 * READ ONLY transaction.
 */
export const Completion = DiscoveryService.createDecorator<CompletionOptions>();

/** The largest number of suggested values. To show that there are more values, a method returns 101 values. */
export const MAX_COMPLETIONS = 100;

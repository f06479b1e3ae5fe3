import { LiquidError } from 'liquidjs';
import { AppError, toError } from '../errors/app-error.js';
import { asSentence } from '../errors/as-sentence.js';

/** Returns the error as `invalid_arguments` with a reason that helps the author of the template. */
export function toTemplateError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const inner = (error as { originalError?: unknown } | null)?.originalError;
  if (inner instanceof AppError) return inner;
  const message = asSentence(`The template cannot be used: ${reasonOf(error)}`);
  return new AppError('invalid_arguments', message, { cause: error });
}

function reasonOf(error: unknown): string {
  // Only the messages of LiquidJS help the author. For example, a message about a stack overflow, which deep nesting
  // causes, does not help.
  return LiquidError.is(error)
    ? toError(error).message.split('\n')[0]!.slice(0, 200)
    : 'it is malformed or too complex';
}

import { AppError } from '../../errors/app-error.js';
import { asSentence } from '../../errors/as-sentence.js';
import { ShownBug } from '../../errors/shown-bug.js';
import type { StepError } from '../journal/run.entity.js';

/**
 * Returns the error that a run shows. An unknown error may contain secrets. So the run shows only an id, and the log
 * has the whole error with this id. In development, the run shows the message too.
 */
export function toStepError(error: unknown, errorId: string): StepError {
  if (error instanceof ShownBug) {
    return { code: 'internal', message: `${asSentence(error.message)} Error id: ${errorId}.` };
  }
  if (!isExpected(error)) return { code: 'internal', message: `Internal error ${errorId}.` };
  const { code, message, details, response } = error;
  return { code, message, ...(details && { details }), ...(response && { response }) };
}

/** Returns true for expected errors, which are shown to callers and not logged. */
export function isExpected(error: unknown): error is AppError {
  return error instanceof AppError && error.code !== 'internal';
}

import { AppError, type AppErrorCode } from '../errors/app-error.js';
import { isTool, type Step } from './definition.js';
import type { StepError } from './run-step.entity.js';

const DEFAULT_ATTEMPTS = 3;
const BACK_OFF_BASE = 5;
const LONGEST_BACK_OFF_SECONDS = 125;
/** Failures that may be gone the next time; everything else fails the step at once. */
const TRANSIENT: readonly AppErrorCode[] = ['unavailable', 'rate_limited', 'internal'];

/** What a run shows of a failure. The message of an unknown error may say anything, so only its id in the log is shown. */
export function stepError(error: unknown, errorId: string): StepError {
  if (!isKnown(error)) return { code: 'internal', message: `Internal error ${errorId}.` };
  const { code, message, details } = error;
  return { code, message, ...(details && { details }) };
}

/** Whether the failure was expected, so that it is the caller's to know and not the operator's. */
export function isKnown(error: unknown): error is AppError {
  return error instanceof AppError && error.code !== 'internal';
}

/** Seconds until the step is tried again after so many attempts, or undefined when it has failed for good. */
export function retryDelay(step: Step, attempts: number, error: unknown): number | undefined {
  const most = isTool(step) ? (step.retry?.max_attempts ?? DEFAULT_ATTEMPTS) : 1;
  const isTransient = !(error instanceof AppError) || TRANSIENT.includes(error.code);
  if (!isTransient || attempts >= most) return undefined;
  const wanted = error instanceof AppError ? (error.retryAfterSeconds ?? 0) : 0;
  return Math.max(Math.min(BACK_OFF_BASE ** (attempts - 1), LONGEST_BACK_OFF_SECONDS), wanted);
}

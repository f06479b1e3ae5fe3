import { AppError, type AppErrorCode } from '../../errors/app-error.js';
import type { Step } from '../definitions/definition.js';
import type { StepError } from '../journal/run-step.entity.js';
import { MAX_PAUSE_SECONDS, type RetryPolicy } from '../definitions/step-options.js';
import { isRunWorkflow } from '../definitions/steps/run-workflow-step.js';
import { isTool } from '../definitions/steps/tool-step.js';

const DEFAULT_ATTEMPTS = 3;
const DEFAULT_PAUSE_SECONDS = 1;
const DEFAULT_FACTOR = 5;
/** Of a step that says nothing about its pauses. */
const LONGEST_DEFAULT_PAUSE_SECONDS = 125;
/** Failures that may be gone the next time; everything else fails the step at once. */
const TRANSIENT: readonly AppErrorCode[] = ['unavailable', 'rate_limited', 'internal'];

const NO_RETRY: RetryPolicy = { max_attempts: 1 };

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
  const policy = isTool(step) ? (step.retry ?? {}) : isRunWorkflow(step) ? {} : NO_RETRY;
  const most = policy.max_attempts ?? DEFAULT_ATTEMPTS;
  const isTransient = !(error instanceof AppError) || TRANSIENT.includes(error.code);
  if (!isTransient || attempts >= most) return undefined;
  const wanted = error instanceof AppError ? (error.retryAfterSeconds ?? 0) : 0;
  return Math.min(Math.max(pause(policy, attempts), wanted), MAX_PAUSE_SECONDS);
}

function pause(
  { backoff_seconds: first, backoff_factor: factor }: RetryPolicy,
  attempts: number,
): number {
  const pauses = (first ?? DEFAULT_PAUSE_SECONDS) * (factor ?? DEFAULT_FACTOR) ** (attempts - 1);
  return first === undefined ? Math.min(pauses, LONGEST_DEFAULT_PAUSE_SECONDS) : pauses;
}

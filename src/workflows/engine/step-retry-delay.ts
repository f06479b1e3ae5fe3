import { AppError, type AppErrorCode } from '../../errors/app-error.js';
import type { RetryPolicy, Step } from '../definitions/definition.js';
import { isCode } from '../definitions/steps/code-step.js';
import { isRunWorkflow } from '../definitions/steps/run-workflow-step.js';
import { MAX_ATTEMPTS, MAX_PAUSE_SECONDS } from '../definitions/steps/retry-policy.js';
import { isTool } from '../definitions/steps/tool-step.js';

const DEFAULT_ATTEMPTS = 3;
const DEFAULT_PAUSE_SECONDS = 1;
const DEFAULT_FACTOR = 5;
/** The longest pause, in seconds, of a step without `backoff_seconds`. */
const MAX_DEFAULT_PAUSE_SECONDS = 125;
/** The errors after which a step is retried. After any other error, the step fails immediately. */
const TRANSIENT: readonly AppErrorCode[] = ['unavailable', 'rate_limited', 'internal'];

const NO_RETRY: RetryPolicy = { max_attempts: 1 };

/**
 * Returns the seconds until the next attempt of a failed step, at most one hour, or undefined when the step has no
 * attempts left. `RunProgressService` waits this time. An error may ask for a longer pause than the retry policy.
 */
export function getRetryDelaySeconds(
  step: Step,
  attempts: number,
  error: unknown,
): number | undefined {
  const policy = policyOf(step);
  const isTransient = !(error instanceof AppError) || TRANSIENT.includes(error.code);
  if (!isTransient) return undefined;
  const requested = error instanceof AppError ? (error.retryAfterSeconds ?? 0) : 0;
  return getPauseSeconds(policy, attempts, requested);
}

/**
 * Returns the seconds until the next attempt, at most one hour, or undefined when the policy allows no other attempt.
 */
export function getPauseSeconds(
  policy: RetryPolicy,
  attempts: number,
  requested = 0,
): number | undefined {
  // SQL of a tool can store any value in a policy. A comparison with a value that is not a number is false.
  const isAllowed = attempts < Math.min(policy.max_attempts ?? DEFAULT_ATTEMPTS, MAX_ATTEMPTS);
  if (!isAllowed) return undefined;
  const pause = computePause(policy, attempts) || 0;
  return Math.min(Math.max(pause, requested), MAX_PAUSE_SECONDS);
}

function policyOf(step: Step): RetryPolicy {
  return isTool(step) || isCode(step) || isRunWorkflow(step) ? (step.retry ?? {}) : NO_RETRY;
}

function computePause(
  { backoff_seconds: first, backoff_factor: factor }: RetryPolicy,
  attempts: number,
): number {
  const pauses = (first ?? DEFAULT_PAUSE_SECONDS) * (factor ?? DEFAULT_FACTOR) ** (attempts - 1);
  return first === undefined ? Math.min(pauses, MAX_DEFAULT_PAUSE_SECONDS) : pauses;
}

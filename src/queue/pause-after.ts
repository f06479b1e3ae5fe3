import { AppError } from '../errors/app-error.js';

/** The longest pause in seconds. After it, work that found no quota or processor time is tried again. */
const MAX_PAUSE_SECONDS = 30;

/**
 * Returns the seconds after which work is due again that failed because its organization had no quota or processor time.
 * Returns undefined for any other error. A service that makes the row due later frees the slot of the worker, which
 * would otherwise pause in it.
 */
export function pauseAfter(error: unknown): number | undefined {
  if (!(error instanceof AppError) || error.code !== 'rate_limited') return undefined;
  return Math.min(error.retryAfterSeconds ?? 1, MAX_PAUSE_SECONDS);
}

import type { Fault } from '../../errors/app-error.js';
import { checkKeys, isObject, type Json } from './step-fields.js';

/** How often a step is tried, and the pauses in between: the first of `backoff_seconds`, each by the factor longer. */
export interface RetryPolicy {
  max_attempts?: number;
  backoff_seconds?: number;
  backoff_factor?: number;
}

/** Longest pause between two attempts, however it comes about. */
export const MAX_PAUSE_SECONDS = 3600;
/** What a tool gets that talks to systems outside. */
export const MAX_TIMEOUT_SECONDS = 300;
// Below the 30 s after which the database ends a transaction that does nothing.
export const MAX_INTERNAL_TIMEOUT_SECONDS = 25;

const MAX_ATTEMPTS = 10;
const MAX_FACTOR = 10;

export function parseRetry(given: unknown, path: string, faults: Fault[]): RetryPolicy | undefined {
  if (!isObject(given)) {
    faults.push({ path, message: 'must be an object' });
    return undefined;
  }
  checkKeys(given, path, ['max_attempts', 'backoff_seconds', 'backoff_factor'], faults);
  const attempts = given.max_attempts;
  if (attempts !== undefined && !isWithin(attempts, 1, MAX_ATTEMPTS, Number.isInteger)) {
    faults.push({
      path: `${path}.max_attempts`,
      message: `must be a whole number from 1 to ${MAX_ATTEMPTS}`,
    });
  }
  checkNumber(given, 'backoff_seconds', 0, MAX_PAUSE_SECONDS, path, faults);
  checkNumber(given, 'backoff_factor', 1, MAX_FACTOR, path, faults);
  return given;
}

export function parseTimeout(given: unknown, path: string, faults: Fault[]): number | undefined {
  if (isWithin(given, 1, MAX_TIMEOUT_SECONDS)) return given;
  faults.push({ path, message: `must be a number of seconds from 1 to ${MAX_TIMEOUT_SECONDS}` });
  return undefined;
}

function checkNumber(
  given: Json,
  name: string,
  least: number,
  most: number,
  path: string,
  faults: Fault[],
): void {
  if (given[name] === undefined || isWithin(given[name], least, most)) return;
  faults.push({ path: `${path}.${name}`, message: `must be a number from ${least} to ${most}` });
}

function isWithin(
  value: unknown,
  least: number,
  most: number,
  fits: (value: number) => boolean = Number.isFinite,
): value is number {
  return typeof value === 'number' && fits(value) && value >= least && value <= most;
}

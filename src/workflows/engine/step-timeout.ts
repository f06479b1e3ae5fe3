import { DEFAULT_CODE_SECONDS, MAX_CODE_SECONDS } from '../../code/code-limits.js';
import {
  MAX_EXTERNAL_TIMEOUT_SECONDS,
  MAX_INTERNAL_TIMEOUT_SECONDS,
} from '../definitions/steps/tool-step.js';

const DEFAULT_EXTERNAL_TIMEOUT_SECONDS = 60;

/** Returns the seconds for which the code of a step may run. */
export function codeTimeoutOf(requested: unknown): number {
  return limited(requested, DEFAULT_CODE_SECONDS, MAX_CODE_SECONDS);
}

/**
 * Returns the seconds for which a call of a tool may last. The stored timeout of an internal tool may be longer,
 * because the tool was external when the definition was saved.
 */
export function toolTimeoutOf(isExternal: boolean, requested: unknown): number {
  return isExternal
    ? limited(requested, DEFAULT_EXTERNAL_TIMEOUT_SECONDS, MAX_EXTERNAL_TIMEOUT_SECONDS)
    : limited(requested, MAX_INTERNAL_TIMEOUT_SECONDS, MAX_INTERNAL_TIMEOUT_SECONDS);
}

/**
 * Returns the stored timeout, at most `most`. Without this limit, a timeout that SQL of a tool stored would keep a
 * thread or a slot of the worker busy for days.
 */
function limited(requested: unknown, usual: number, most: number): number {
  return typeof requested === 'number' && requested > 0 ? Math.min(requested, most) : usual;
}

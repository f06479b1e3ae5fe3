import type { Fault } from '../../errors/app-error.js';
import { didYouMean } from '../../text/nearest-names.js';

export type Json = Record<string, unknown>;

// Members that other workflow systems have. A suggestion of a similar name would mislead their users.
const UNSUPPORTED = ['loop', 'switch', 'delay', 'timeout', 'delivery'];

/** Adds a fault for every unknown key. */
export function checkKeys(
  given: Json,
  path: string,
  known: readonly string[],
  faults: Fault[],
): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const message = UNSUPPORTED.includes(key)
      ? 'is not supported'
      : `is not known.${didYouMean(key, known)}`;
    faults.push({ path: `${path}.${key}`, message });
  }
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True when the text contains a Liquid expression, so that its value is known only when the step runs. */
export function isDynamic(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

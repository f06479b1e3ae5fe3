import type { FaultList } from '../../errors/fault-list.js';
import { didYouMean } from '../../text/nearest-names.js';

export type Json = Record<string, unknown>;

// The members that steps of other workflow systems have. A suggestion of a similar name would mislead users of those
// systems.
const UNSUPPORTED = ['loop', 'switch', 'delay', 'timeout', 'delivery'];

export function checkKeys(
  given: Json,
  path: string,
  known: readonly string[],
  faults: FaultList,
): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const message = UNSUPPORTED.includes(key)
      ? 'is not supported'
      : () => `is not known.${didYouMean(key, known)}`;
    faults.push({ path: `${path}.${key}`, message });
  }
}

/** Returns the name if it is known. Otherwise adds a fault with the nearest name. */
export function parseName<T extends string>(
  given: unknown,
  known: readonly T[],
  path: string,
  faults: FaultList,
): T | undefined {
  const name = known.find((one) => one === given);
  if (name) return name;
  const message = (): string => {
    const near = typeof given === 'string' ? didYouMean(given, known) : '';
    return `must be one of ${known.join(', ')}.${near}`;
  };
  faults.push({ path, message: given === undefined ? 'is required' : message });
  return undefined;
}

/**
 * Calls `visit` with every text in a JSON value. Names of members are left out, because they contain no expressions.
 */
export function visitTexts(
  value: unknown,
  path: string,
  visit: (text: string, path: string) => void,
): void {
  if (typeof value === 'string') visit(value, path);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    visitTexts(item, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, visit);
  }
}

/** Returns true when the text contains a Liquid expression, so that its value is known only when the step runs. */
export function isDynamic(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

import { numberText } from '../../text/exact-numbers.js';
import type { JsonSchema } from './json-schema.js';

/**
 * Returns a copy of a value in which each number becomes text where the schema requires a text. Expressions of
 * workflows give numbers for ids and phone numbers of other systems, and only the schema says that they must be texts.
 */
export function writeNumbers(schema: JsonSchema, value: unknown): unknown {
  if (typeof value === 'number') return wantsText(schema, value) ? numberText(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => writeNumbers(items, item)) : value;
  }
  const { properties } = schema;
  if (!properties) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const inner = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return [key, inner ? writeNumbers(inner, item) : (item as unknown)];
    }),
  );
}

function wantsText({ type }: JsonSchema, value: number): boolean {
  const types = [type ?? []].flat();
  const takesNumber = types.includes('number') || types.includes('integer');
  return Number.isFinite(value) && types.includes('string') && !takesNumber;
}

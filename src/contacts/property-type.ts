import { isDay } from '../text/parse-time.js';

/** The value of a property. It is a list only when the property was declared as a list. */
export type PropertyValue = string | number | boolean | string[];

export const PROPERTY_TYPES = ['text', 'number', 'boolean', 'date', 'enum', 'list'] as const;
export type PropertyType = (typeof PROPERTY_TYPES)[number];

/** The values that a declared property may have. */
export interface PropertyRule {
  type: PropertyType;
  /** The values of the type `enum`. Empty for other types. */
  options: readonly string[];
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Returns the fault of a value of a declared property, or undefined when the value fits the type. */
export function typeFault(
  { type, options }: PropertyRule,
  value: PropertyValue,
): string | undefined {
  switch (type) {
    case 'text':
      return typeof value === 'string' ? undefined : 'must be text';
    case 'number':
      return typeof value === 'number' ? undefined : 'must be a number';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'date':
      return typeof value === 'string' && DAY.test(value) && isDay(value)
        ? undefined
        : 'must be a date such as 2030-01-31';
    case 'enum':
      return typeof value === 'string' && options.includes(value)
        ? undefined
        : `must be one of ${options.join(', ')}`;
    case 'list':
      return Array.isArray(value) ? undefined : 'must be a list of texts';
  }
}

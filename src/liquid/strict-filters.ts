import type { FilterImplOptions } from 'liquidjs';
import { AppError } from '../errors/app-error.js';
import { isNumeric } from './ordered.js';

const NUMBER_FILTERS =
  'abs at_least at_most ceil divided_by floor minus modulo plus round times to_integer'.split(' ');
const DIVIDING_FILTERS = new Set(['divided_by', 'modulo']);

type Filter = (this: unknown, value: unknown, ...given: unknown[]) => unknown;

/**
 * Makes filters throw when they have no valid result. Without this, LiquidJS counts a text that is not a number as 0,
 * and returns a text that is not a date unchanged. LiquidJS also divides by zero, and the result becomes null in JSON.
 * A step would then continue with a wrong value.
 */
export function makeFiltersStrict(filters: Record<string, FilterImplOptions>): void {
  for (const name of NUMBER_FILTERS) wrap(filters, name, computeNumber);
  wrap(filters, 'date', formatDate);
}

type Strict = (name: string, run: () => unknown, values: readonly unknown[]) => unknown;

function wrap(filters: Record<string, FilterImplOptions>, name: string, strict: Strict): void {
  const filter = filters[name] as Filter;
  filters[name] = function (this: unknown, value: unknown, ...given: unknown[]): unknown {
    return strict(name, () => filter.call(this, value, ...given), [value, ...given]);
  } as FilterImplOptions;
}

const computeNumber: Strict = (name, run, values) => {
  // The third value of divided_by is a boolean and not a number.
  if (!values.slice(0, 2).every((value) => isBlank(value) || isNumeric(value))) {
    throw AppError.invalid(`The filter ${name} got a value that is not a number.`);
  }
  if (DIVIDING_FILTERS.has(name) && Number(values[1] ?? 0) === 0) {
    throw AppError.invalid(`The filter ${name} cannot divide by zero.`);
  }
  const result = run();
  if (Number.isFinite(result)) return result;
  throw AppError.invalid(`The filter ${name} has a result that is too large or is not a number.`);
};

const formatDate: Strict = (name, run, [value]) => {
  const result = run();
  const isUnchanged = result === value && typeof value === 'string' && !isBlank(value);
  if (!isUnchanged || !Number.isNaN(Date.parse(value))) return result;
  throw AppError.invalid(`The filter ${name} got a text that is not a date.`);
};

/** Returns true for a missing value. Filters for numbers count it as 0, and it is never the text of a date. */
function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && !value.trim());
}

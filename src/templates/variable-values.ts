import type { FaultList } from '../errors/fault-list.js';
import { didYouMean } from '../text/nearest-names.js';
import { parseTime } from '../text/parse-time.js';
import type { TemplateVariable, VariableType } from './template-content.js';

const NUMBER = /^-?\d{1,30}(\.\d{1,30})?$/;
/** The largest number of variables that a hint compares with an unknown name. */
const MOST_COMPARED = 100;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The reason why a template cannot be rendered with the given values. */
export interface ValueFault {
  readonly name: string;
  readonly message: string;
}

/**
 * Returns the values of the declared variables, with their defaults, and a fault for each variable that is missing or
 * has another type. Given members that are not declared are ignored. Only own members are read, so that a name cannot
 * reach a prototype.
 */
export function readValues(
  variables: readonly TemplateVariable[],
  given: object,
): { values: Record<string, unknown>; faults: ValueFault[] } {
  const values: Record<string, unknown> = {};
  const faults: ValueFault[] = [];
  for (const { name, type, default: fallback } of variables) {
    const own: unknown = Object.hasOwn(given, name) ? given[name as keyof typeof given] : undefined;
    const value = own ?? fallback;
    if (value === undefined || value === null) {
      faults.push({ name, message: 'has no value and no default' });
      continue;
    }
    const read = readValue(type, value);
    if (read === undefined) faults.push({ name, message: `must be ${DESCRIBED[type]}` });
    else values[name] = read;
  }
  return { values, faults };
}

const SAMPLES: Record<VariableType, unknown> = {
  text: 'text',
  number: 1,
  boolean: true,
  date: '2030-01-31',
  list: [],
  object: {},
};

/**
 * Returns the values, with a sample for each variable without a value and without a default, and the names of the
 * variables with samples.
 */
export function fillSamples(
  variables: readonly TemplateVariable[],
  given: object,
): { values: object; missing: string[] } {
  const empty = variables.filter(
    ({ name, default: fallback }) =>
      ((Object.hasOwn(given, name) ? given[name as keyof typeof given] : undefined) ?? fallback) ===
      undefined,
  );
  const samples = empty.map(({ name, type }) => {
    return [name, type === 'text' ? `[${name}]` : SAMPLES[type]] as const;
  });
  return {
    values: { ...given, ...Object.fromEntries(samples) },
    missing: empty.map(({ name }) => name),
  };
}

/** Adds a fault for each given member that is not a declared variable. */
export function checkNames(
  variables: readonly TemplateVariable[],
  given: object,
  faults: FaultList,
): void {
  const known = new Set(variables.map(({ name }) => name));
  const compared = [...known].slice(0, MOST_COMPARED);
  for (const name of Object.keys(given)) {
    if (known.has(name)) continue;
    const path = `variables.${name.slice(0, 64).toWellFormed()}`;
    const message = (): string => `is not a variable of the template.${didYouMean(name, compared)}`;
    faults.push({ path, message });
  }
}

const DESCRIBED: Record<VariableType, string> = {
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  date: 'a date such as 2030-01-31 or 2030-01-31T09:00:00Z',
  list: 'a list',
  object: 'an object',
};

const READERS: Record<VariableType, (value: unknown) => unknown> = {
  // A number becomes text, because payloads of webhooks often have numbers where a template shows a text.
  text: (value) =>
    typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : ofType(value, 'string'),
  number: (value) =>
    typeof value === 'string' && NUMBER.test(value) ? Number(value) : ofType(value, 'number'),
  boolean: (value) => ofType(value, 'boolean'),
  date: (value) => (typeof value === 'string' && isDate(value) ? value : undefined),
  list: (value) => (Array.isArray(value) ? value : undefined),
  object: (value) => (Array.isArray(value) ? undefined : ofType(value, 'object')),
};

/**
 * Returns the value in the form of its type, or undefined when it does not fit the type. The value must not be null.
 */
export function readValue(type: VariableType, value: unknown): unknown {
  return READERS[type](value);
}

function ofType(value: unknown, type: string): unknown {
  return typeof value === type ? value : undefined;
}

function isDate(text: string): boolean {
  if (!DAY.test(text)) return text.length <= 64 && parseTime(text) !== undefined;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

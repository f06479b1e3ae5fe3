import type { FilterImplOptions } from 'liquidjs';
import { AppError } from '../errors/app-error.js';

/**
 * The largest number of values that one call of a filter works on: its input and its arguments, with everything inside
 * them.
 */
const MAX_VALUES = 10_000;
const MAX_TEXT_CHARACTERS = 256 * 1024;
/**
 * The largest number of characters for filters that replace or split texts. These filters take about ten times as long
 * as other filters for the same text.
 */
const MAX_REPLACED_CHARACTERS = 64 * 1024;
/**
 * The largest number of characters for filters of lists. These filters only compare the texts in a list, or do not read
 * them.
 */
const MAX_LIST_CHARACTERS = 1024 * 1024;
/**
 * The largest number of characters of a text that a filter or `contains` searches for. The search may take time in
 * proportion to the length of this text, multiplied by the length of the input. So the text must be shorter for a
 * long input, but every search may have 64 characters.
 */
const MAX_PATTERN_CHARACTERS = 4096;
const MAX_COMPARISONS = 32 * 1024 * 1024;
const MIN_PATTERN_CHARACTERS = 64;
/**
 * The largest number of characters of the input and of the format of `date`. The regular expression of this filter
 * takes time in proportion to the square of the length.
 */
const MAX_DATE_CHARACTERS = 200;

const LIST_FILTERS = new Set(
  'compact concat first last map reverse size slice sort sort_natural sum uniq where'.split(' '),
);
const REPLACING_FILTERS = new Set(
  'escape escape_once newline_to_br number_of_words squish strip_newlines truncatewords url_decode url_encode'.split(
    ' ',
  ),
);
const PATTERN_FILTERS = new Set(
  'remove remove_first remove_last replace replace_first replace_last split'.split(' '),
);
const CHEAP_FILTERS = new Set(['default', 'first', 'last', 'size']);

type Scalar = string | number | boolean;
type Filter = (this: FilterThis, value: unknown, ...given: unknown[]) => unknown;

interface FilterThis {
  context: {
    memoryLimit: { use(count: number): void };
    _getFromScope(scope: unknown, path: string[], strict: boolean): unknown;
  };
}

/**
 * Replaces filters so that one call takes some milliseconds at most. A filter call is one step of an evaluation, and an
 * evaluation cannot stop within a step.
 */
export function boundFilters(filters: Record<string, FilterImplOptions>): void {
  filters.sort = createSort((value) => value) as FilterImplOptions;
  filters.sort_natural = createSort((value) => `${value}`.toLowerCase()) as FilterImplOptions;
  for (const [name, filter] of Object.entries(filters)) {
    if (CHEAP_FILTERS.has(name)) continue;
    const run = filter as Filter;
    filters[name] = function (this: FilterThis, value: unknown, ...given: unknown[]): unknown {
      checkInput(name, [value, ...given]);
      return run.call(this, value, ...given);
    } as FilterImplOptions;
  }
}

/** Throws when a text that is searched for is too long for an input with this number of characters. */
export function checkPattern(name: string, pattern: unknown, characters: number): void {
  const most = Math.max(MIN_PATTERN_CHARACTERS, Math.floor(MAX_COMPARISONS / characters));
  const max = Math.min(MAX_PATTERN_CHARACTERS, most);
  if (typeof pattern !== 'string' || pattern.length <= max) return;
  throw AppError.invalid(
    `The text that ${name} searches for has more than ${max} characters, which is too long for an input of ` +
      `${characters} characters.`,
  );
}

function checkInput(name: string, values: readonly unknown[]): void {
  const maxCharacters = maxCharactersOf(name);
  const left = {
    values: MAX_VALUES,
    characters: maxCharacters,
  };
  for (const value of values) {
    if (!subtractSize(value, left)) {
      throw AppError.invalid(
        `The filter ${name} takes at most ${MAX_VALUES} values and ${maxCharacters} characters.`,
      );
    }
  }
  if (PATTERN_FILTERS.has(name)) checkPattern(name, values[1], maxCharacters - left.characters);
}

function maxCharactersOf(name: string): number {
  if (name === 'date') return MAX_DATE_CHARACTERS;
  if (REPLACING_FILTERS.has(name)) return MAX_REPLACED_CHARACTERS;
  return LIST_FILTERS.has(name) ? MAX_LIST_CHARACTERS : MAX_TEXT_CHARACTERS;
}

/**
 * Subtracts the numbers of values and characters in `value` from `left`. A value that occurs twice in `value` counts
 * twice. Returns false when a number in `left` becomes negative.
 */
function subtractSize(value: unknown, left: { values: number; characters: number }): boolean {
  left.values -= 1;
  if (typeof value === 'string') left.characters -= value.length;
  else if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) {
      for (const item of value) if (!subtractSize(item, left)) return false;
    } else {
      for (const item of Object.values(value)) if (!subtractSize(item, left)) return false;
    }
  }
  return left.values >= 0 && left.characters >= 0;
}

/** Makes a filter that sorts by a key. The key of each item is computed once, and not for every comparison. */
function createSort(keyOf: (value: Scalar) => Scalar): Filter {
  return function* (this: FilterThis, list: unknown, property?: string | number): Generator {
    const items = list === undefined || list === null ? [] : [list].flat();
    this.context.memoryLimit.use(items.length);
    const path = property === undefined || property === null ? [] : `${property}`.split('.');
    const keyed: { item: unknown; key: Scalar | null }[] = [];
    for (const item of items) {
      const value: unknown =
        path.length === 0 ? item : yield this.context._getFromScope(item, path, false);
      const scalar = toScalar(value);
      keyed.push({ item, key: scalar === null ? null : keyOf(scalar) });
    }
    return keyed.sort((a, b) => compare(a.key, b.key)).map(({ item }) => item);
  } as Filter;
}

/** Returns the value by which an item is sorted: a list counts as its text, every object as an empty text. */
function toScalar(value: unknown): Scalar | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? '' : (value as Scalar);
}

/** Compares two values as LiquidJS does: absent values come last. */
function compare(a: Scalar | null, b: Scalar | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

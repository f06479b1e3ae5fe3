import type { FilterImplOptions } from 'liquidjs';
import { type DistantValue, type JoinPages, distantOf, wholeOf } from './distant-values.js';

type Filter = (this: unknown, value: unknown, ...given: unknown[]) => unknown;

const append: JoinPages = (before, page) => [...(before as unknown[]), ...(page as unknown[])];
const add: JoinPages = (before, page) => Number(before) + Number(page);

/** The Liquid filters that read a stored list page by page. The results for all pages must together fit into memory. */
const PAGED: Readonly<Record<string, JoinPages>> = {
  compact: append,
  map: append,
  sum: add,
  where: append,
};
/** The filters that read single items of a list. */
const READING_MEMBERS = new Set(['default', 'first', 'last', 'size', 'slice']);

/**
 * Makes filters accept distant values. A filter that cannot work page by page gets the whole value, if the value is
 * small enough. `unbounded` has the same filters without limits of their input. These filters without limits work on
 * single pages, which are small.
 */
export function readDistantValues(
  filters: Record<string, FilterImplOptions>,
  unbounded: Readonly<Record<string, FilterImplOptions>>,
): void {
  for (const [name, bounded] of Object.entries(filters)) {
    const filter = bounded as Filter;
    const forItems = unbounded[name] as Filter;
    filters[name] = function (this: unknown, value: unknown, ...given: unknown[]): unknown {
      const distant = distantOf(value);
      const values = given.map(wholeOf);
      if (!distant) return filter.call(this, value, ...values);
      if (READING_MEMBERS.has(name)) return forItems.call(this, value, ...values);
      const join = PAGED[name];
      if (!join || !distant.filtered) return filter.call(this, distant.whole(), ...values);
      const key = `${name} ${JSON.stringify(values)}`;
      return distant.filtered(key, (items) => forItems.call(this, items, ...values), join);
    } as FilterImplOptions;
  }
}

/**
 * Returns true if a distant list contains the item. `isIn` tests a list or page in memory, and returns the result or a
 * generator that computes it.
 */
export function distantContains(
  { filtered, whole }: DistantValue,
  item: unknown,
  isIn: (list: unknown) => unknown,
): unknown {
  const wanted = wholeOf(item);
  if (!filtered) return isIn(whole());
  const either: JoinPages = (before, page) => Boolean(before) || Boolean(page);
  return filtered(`contains ${JSON.stringify(wanted)}`, isIn, either);
}

import type { Call } from './call.readers.ts';

/** The largest number of calls that the page keeps. Otherwise a log that is open for hours would fill the memory. */
export const MOST_CALLS = 1000;
/** The page reads the log with this tool. If the log showed these calls, they would hide all other calls. */
const OWN_TOOL = 'list_calls';

/** Returns true when the log shows a call. It shows calls of people only when the filter includes them. */
export function isShown(call: Call, withPeople: boolean): boolean {
  if (call.tool === OWN_TOOL && call.outcome === 'ok') return false;
  return withPeople || call.caller_kind !== 'user';
}

/**
 * Joins two lists of calls: each call once, the newest first. Drops the oldest calls above the limit. Returns `before`
 * itself when no call is new.
 */
export function mergeCalls(before: readonly Call[], more: readonly Call[]): readonly Call[] {
  const known = new Set(before.map(({ id }) => id));
  const added = more.filter(({ id }) => !known.has(id));
  if (added.length === 0) return before;
  const calls = new Map([...before, ...added].map((call) => [call.id, call]));
  return [...calls.values()].sort(newestFirst).slice(0, MOST_CALLS);
}

/** Compares times, and then ids as texts of digits, because an id may exceed the range of a JavaScript number. */
function newestFirst(one: Call, other: Call): number {
  if (one.at !== other.at) return one.at < other.at ? 1 : -1;
  return other.id.length - one.id.length || (one.id < other.id ? 1 : -1);
}

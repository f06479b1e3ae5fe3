/** One difference between two values. `before` or `after` is absent when that value has no such member. */
export interface JsonChange {
  /** A JSON Pointer (RFC 6901) into the values. Empty for the values themselves. */
  path: string;
  before?: unknown;
  after?: unknown;
}

/**
 * The largest number of characters that the paths in one result may repeat. Each path repeats the path of its parent.
 */
const MOST_PATH_CHARACTERS = 4_000_000;

/** Limits the characters that the paths in a result repeat. All comparisons for one result share a budget. */
export class PathBudget {
  private left = MOST_PATH_CHARACTERS;

  /** Returns true if this many characters were left, and uses them up. */
  take(characters: number): boolean {
    if (characters > this.left) return false;
    this.left -= characters;
    return true;
  }
}

/**
 * Compares two JSON values. Items of arrays are compared by index, so an inserted item changes all later items. An
 * object whose members would need more of `budget` than is left counts as one change. Otherwise an object with a long
 * name and thousands of members would repeat the name for each of them.
 */
export function jsonDiff(
  before: unknown,
  after: unknown,
  budget = new PathBudget(),
  path = '',
): JsonChange[] {
  if (Object.is(before, after)) return [];
  if (!isNested(before) || !isNested(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path, before, after }];
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  if (!budget.take(keys.size * path.length)) return [{ path, before, after }];
  return [...keys].flatMap((key) => {
    const at = `${path}/${pointerToken(key)}`;
    if (!Object.hasOwn(before, key)) return [{ path: at, after: after[key] }];
    if (!Object.hasOwn(after, key)) return [{ path: at, before: before[key] }];
    return jsonDiff(before[key], after[key], budget, at);
  });
}

function pointerToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

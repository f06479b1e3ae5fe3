/** One difference between two values. `before` or `after` is absent when that value has no such member. */
export interface JsonChange {
  /** A JSON Pointer (RFC 6901) into the values. Empty for the values themselves. */
  path: string;
  before?: unknown;
  after?: unknown;
}

/** Compares two JSON values. Items of arrays are compared by index, so an inserted item changes all later items. */
export function jsonDiff(before: unknown, after: unknown, path = ''): JsonChange[] {
  if (Object.is(before, after)) return [];
  if (!isNested(before) || !isNested(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path, before, after }];
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => {
    const at = `${path}/${pointerToken(key)}`;
    if (!Object.hasOwn(before, key)) return [{ path: at, after: after[key] }];
    if (!Object.hasOwn(after, key)) return [{ path: at, before: before[key] }];
    return jsonDiff(before[key], after[key], at);
  });
}

function pointerToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

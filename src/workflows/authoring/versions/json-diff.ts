/** One difference between two values. A side that has no such member has no `before`, or no `after`. */
export interface JsonChange {
  /** JSON Pointer (RFC 6901) into the values; empty for the values themselves. */
  path: string;
  before?: unknown;
  after?: unknown;
}

/**
 * Where two JSON values differ, as deep as they are both objects or both arrays. Items of arrays are compared by their
 * place, so one that is put in between shows as a change of all that follow.
 */
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

export function pointerToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

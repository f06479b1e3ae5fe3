import type { ContactFilter, FilterNode } from './filter-fields.js';

/** A segment that is named in conditions. A static segment has no filters. */
export interface NamedSegment {
  id: string;
  name: string;
  filters: readonly object[] | null;
}

function conditionsIn(nodes: readonly FilterNode[]): ContactFilter[] {
  return nodes.flatMap((node) => {
    if ('and' in node) return conditionsIn(node.and);
    if ('or' in node) return conditionsIn(node.or);
    if ('not' in node) return conditionsIn([node.not]);
    return [node];
  });
}

/** Returns the ids or names of segments in the conditions, each once. */
export function segmentsIn(nodes: readonly FilterNode[]): string[] {
  const named = conditionsIn(nodes).filter(({ kind }) => kind === 'segment');
  return [...new Set(named.map(({ values }) => String(values[0])))];
}

export function countConditions(nodes: readonly FilterNode[]): number {
  return conditionsIn(nodes).length;
}

/** Returns true when time alone, or a message or run, can change which contacts match. */
export function isTimed(nodes: readonly FilterNode[]): boolean {
  return conditionsIn(nodes).some(
    ({ kind, operator }) => kind === 'activity' || operator === 'within_days',
  );
}

/**
 * Replaces each named segment: a static segment by its id, and a dynamic segment by its conditions, which must all
 * hold.
 */
export function replaceSegments(
  nodes: readonly FilterNode[],
  meanings: ReadonlyMap<string, string | readonly FilterNode[]>,
): FilterNode[] {
  return nodes.map((node) => {
    if ('and' in node) return { and: replaceSegments(node.and, meanings) };
    if ('or' in node) return { or: replaceSegments(node.or, meanings) };
    if ('not' in node) return { not: replaceSegments([node.not], meanings)[0]! };
    if (node.kind !== 'segment') return node;
    const meaning = meanings.get(String(node.values[0]))!;
    if (typeof meaning === 'string') return { ...node, values: [meaning] };
    return node.operator === 'is' ? { and: meaning } : { not: { and: meaning } };
  });
}

/** Replaces the names of segments in conditions, as callers send them, by ids. The conditions must be valid. */
export function withSegmentIds(
  given: readonly unknown[],
  idOf: (idOrName: string) => string,
): object[] {
  return given.map((item) => {
    const { and, or, not, ...condition } = item as Record<string, unknown>;
    if (Array.isArray(and)) return { and: withSegmentIds(and, idOf) };
    if (Array.isArray(or)) return { or: withSegmentIds(or, idOf) };
    if (not !== undefined) return { not: withSegmentIds([not], idOf)[0] };
    if (condition.field !== 'segment') return condition;
    return { ...condition, value: idOf(String(condition.value)) };
  });
}
